const FORM = /^\d[-+._A-Za-z0-9]*$/;
const LIMIT = 64;

export const isVersion = (text: string): boolean => text.length <= LIMIT && FORM.test(text);

interface Part {
  readonly digits: string;
  readonly text: string;
}

const partOf = (source: string): Part => {
  const end = /^\d*/.exec(source)?.[0].length ?? 0;
  return { digits: source.slice(0, end).replace(/^0+/, ''), text: source.slice(end) };
};

const isZero = (part: Part): boolean => part.digits === '' && part.text === '';

/** Length first orders numbers; a missing text (`~`) sorts last, a text before its continuations (space). */
const writePart = ({ digits, text }: Part): string =>
  `${String.fromCharCode(0x30 + digits.length)}${digits}${text === '' ? '~' : `${text} `}`;

const BELOW_ZERO = 'A';
const END = 'M';
const ABOVE_ZERO = 'Z';

const cache = new Map<string, string>();
const MAX_CACHED = 1000;

/** At most 200 ASCII characters that compare bytewise as the versions do (R-RES11). After each part it compares the rest with endless zeros. */
export function versionKey(version: string): string {
  let key = cache.get(version);
  if (key !== undefined) return key;
  key = writeKey(version);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(version, key);
  return key;
}

function writeKey(version: string): string {
  const parts = version.split('.').map(partOf);
  let key = writePart(parts[0] ?? { digits: '', text: '' });
  for (let i = 1; i < parts.length; i++) {
    const first = i;
    while (i < parts.length && isZero(parts[i]!)) i++;
    const part = parts[i];
    if (!part) break;
    const zeros = i - first;
    key +=
      part.digits === ''
        ? `${BELOW_ZERO}${String.fromCharCode(0x30 + zeros)}`
        : `${ABOVE_ZERO}${String.fromCharCode(0x30 + LIMIT - zeros)}`;
    key += writePart(part);
  }
  return key + END;
}
