export const REDACTED = '[redacted]';

/** Compared without case, `_` and `-`. */
const secretName =
  /^(auth|authorization|proxyauthorization|cookie|setcookie|token|secret|password|passphrase|credentials?|sealed|key|pem)$|(token|secret|password|privatekey|apikey|masterkey|authkey|credentials?|keyfile|serviceaccount)$/;

const harmlessName = /^(tokenid|credentialversion)$/;

export const isSecretName = (name: string): boolean => {
  const plain = name.replaceAll(/[_-]/g, '').toLowerCase();
  return secretName.test(plain) && !harmlessName.test(plain);
};

const MAX_DEPTH = 8;
const MAX_ENTRIES = 100;

export function redact(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth === MAX_DEPTH) return '…';
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => redact(entry, depth + 1));
  if (value instanceof Map) return redact(Object.fromEntries(value), depth);
  if (value instanceof Set) return redact([...value], depth);
  return redactFields(value, depth);
}

const redactFields = (value: object, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isSecretName(name) && field != null ? REDACTED : redact(field, depth + 1),
    ]),
  );

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...redactFields(error, depth),
    stack,
    ...(cause === undefined ? {} : { cause: redact(cause, depth + 1) }),
  };
}

/** Applied to finished lines: they never split an escape. */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\+[nr]|[\w+/=\s:,.]|-(?!----))*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
    REDACTED,
  ],
  [/(?<=^|[^\w-]|\\[nrt])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
  [/\bya29\.[\w.-]+/g, REDACTED],
  [/(bearer|basic|token|api|key) +(?=[\w+/=.~-]*\d)[\w+/=.~-]{16,}/gi, `$1 ${REDACTED}`],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"\\]{1,512}@/gi, `$1${REDACTED}@`],
  [
    /((?:auth|token|secret|password|api_key|private_key|sig)\\*["']?\s*[:=]\s*\\*["']?)(?!\[redacted\])[^\s"'\\,;&}]{4,}/gi,
    `$1${REDACTED}`,
  ],
];

/** Linear time. */
export function redactText(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of secretTexts) clean = clean.replace(pattern, replacement);
  return clean;
}
