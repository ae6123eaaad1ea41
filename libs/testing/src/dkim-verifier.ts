import { hash, type KeyObject, verify } from 'node:crypto';

const CRLF = '\r\n';
const WSP = /[ \t]+/g;

const relaxedField = (field: string): string => {
  const colon = field.indexOf(':');
  const value = field
    .slice(colon + 1)
    .replaceAll(CRLF, '')
    .replace(WSP, ' ');
  return `${field.slice(0, colon).trim().toLowerCase()}:${value.trim()}`;
};

const simpleBody = (body: string): string => `${body.replace(/(\r\n)+$/, '')}${CRLF}`;
const relaxedBody = (body: string): string => {
  const lines = body.split(CRLF).map((line) => line.replace(WSP, ' ').replace(/ $/, ''));
  const text = lines.join(CRLF).replace(/(\r\n)+$/, '');
  return text === '' ? '' : text + CRLF;
};

const tagsOf = (field: string): ReadonlyMap<string, string> =>
  new Map(
    field
      .slice(field.indexOf(':') + 1)
      .split(';')
      .map((tag) => [tag.slice(0, tag.indexOf('=')).trim(), tag.slice(tag.indexOf('=') + 1).replace(/\s+/g, '')]),
  );

/** Each from the last one upwards; a missing one counts as empty (RFC 6376, 5.4.2). */
function signedFields(names: readonly string[], fields: readonly string[]): string[] {
  const remaining = [...fields];
  return names.flatMap((name) => {
    const at = remaining.findLastIndex((field) => field.slice(0, field.indexOf(':')).trim().toLowerCase() === name);
    return at < 0 ? [] : remaining.splice(at, 1);
  });
}

/** RFC 6376, RFC 8463. */
export function isDkimSigned(raw: string, publicKey: KeyObject, index = 0): boolean {
  const end = raw.indexOf(CRLF + CRLF);
  const fields = raw.slice(0, end).split(/\r\n(?![ \t])/);
  const body = raw.slice(end + 2 * CRLF.length);
  const own = fields.filter((field) => /^DKIM-Signature:/i.test(field))[index] ?? '';
  const tags = tagsOf(own);
  const [headerForm = 'simple', bodyForm = 'simple'] = (tags.get('c') ?? '').split('/');
  const canonical = headerForm === 'relaxed' ? relaxedField : (field: string): string => field;
  const covered = signedFields((tags.get('h') ?? '').toLowerCase().split(':'), fields).map(canonical);
  const unsigned = canonical(own.replace(/([;\s]b=)[^;]*/, '$1'));
  const data = Buffer.from([...covered, unsigned].join(CRLF));
  const digest = hash('sha256', bodyForm === 'relaxed' ? relaxedBody(body) : simpleBody(body), 'base64');
  const signature = Buffer.from(tags.get('b') ?? '', 'base64');
  const isEd25519 = tags.get('a') === 'ed25519-sha256';
  const isSigned = isEd25519
    ? verify(null, hash('sha256', data, 'buffer'), publicKey, signature)
    : verify('sha256', data, publicKey, signature);
  return isSigned && digest === tags.get('bh');
}
