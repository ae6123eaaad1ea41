export interface PemBlock {
  readonly label: string;
  readonly headers: readonly string[];
  readonly der: Buffer;
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';

/** Forms and JSON turn line ends into CR, or into a backslash and a letter. */
const withLineFeeds = (text: string): string => text.replace(/\\r|\\n|\r/g, '\n');

function blockOf(label: string, body: string): PemBlock {
  const lines = body.split('\n');
  return {
    label,
    headers: lines.filter((line) => line.includes(':')).map((line) => line.trim()),
    der: Buffer.from(lines.filter((line) => !line.includes(':')).join(''), 'base64'),
  };
}

export function* pemBlocks(pem: string): Generator<PemBlock> {
  const text = withLineFeeds(pem);
  for (let from = text.indexOf(BEGIN); from >= 0; from = text.indexOf(BEGIN, from + BEGIN.length)) {
    const labelAt = from + BEGIN.length;
    const label = text.slice(labelAt, text.indexOf(DASHES, labelAt));
    if (label.length > 40 || !/^[A-Z0-9 ]+$/.test(label)) continue;
    const endAt = text.indexOf(`${DASHES}END ${label}${DASHES}`, labelAt);
    if (endAt < 0) return;
    yield blockOf(label, text.slice(labelAt + label.length + DASHES.length, endAt));
  }
}

export function pemOfBlock({ label, headers, der }: PemBlock): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const head = headers.length > 0 ? [...headers, ''] : [];
  return [`${BEGIN}${label}${DASHES}`, ...head, ...lines, `${DASHES}END ${label}${DASHES}`, ''].join('\n');
}
