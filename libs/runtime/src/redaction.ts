/** The replacement of a secret in a log. */
export const REDACTED = '[redacted]';

/** Names of fields with secret values anywhere, after removing case, `_` and `-`. */
const secretName =
  /^(auth|authorization|proxyauthorization|cookie|setcookie|token|secret|password|passphrase|credentials?|sealed|key|pem)$|(token|secret|password|privatekey|apikey|masterkey|authkey|credentials?|keyfile|serviceaccount)$/;

/** Names that only look secret: they identify a secret without its value. */
const harmlessName = /^(tokenid|credentialversion)$/;

export const isSecretName = (name: string): boolean => {
  const plain = name.replaceAll(/[_-]/g, '').toLowerCase();
  return secretName.test(plain) && !harmlessName.test(plain);
};

/** Deeper levels, and further entries of a list, are not logged: a log line is not a dump. */
const MAX_DEPTH = 8;
const MAX_ENTRIES = 100;

/** A copy for the log: values under secret names are removed, bytes are counted, and depth and length are limited. */
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

/** An error with its causes; a Fault's internal text is meant for the log. */
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

/**
 * Patterns of secrets within texts, such as messages of errors; the kept part of each shows its kind. They are applied to finished lines, so they
 * stop at quotes, recognise escaped newlines, and never split an escape.
 */
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

/** The text without likely secrets: the second safeguard, for secrets inside a text. Linear time. */
export function redactText(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of secretTexts) clean = clean.replace(pattern, replacement);
  return clean;
}
