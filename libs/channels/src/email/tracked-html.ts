import { type Fragment, type Hole, LINK_TOKEN_LENGTH } from '@tidings/messaging';
import { type HtmlLink, htmlLinks } from './html-links.ts';
import type { MailLinks } from './mail-links.ts';

const HOLE = '\ufffc';

const ADDED_MAX = 131_072;
/** Longer URLs do not work everywhere. */
const TARGET_MAX = 2_000;

class Joined {
  readonly text: string;
  readonly #holes: readonly { readonly at: number; readonly hole: Hole }[];

  constructor(fragment: Fragment) {
    const holes: { at: number; hole: Hole }[] = [];
    let length = 0;
    for (const part of fragment) {
      if (typeof part !== 'string') holes.push({ at: length, hole: part });
      length += typeof part === 'string' ? part.length : HOLE.length;
    }
    this.text = fragment.map((part) => (typeof part === 'string' ? part : HOLE)).join('');
    this.#holes = holes;
  }

  hasHole(from: number, to: number): boolean {
    const first = this.#indexOf(from);
    return first < this.#holes.length && this.#holes[first]!.at < to;
  }

  slice(from: number, to: number): Fragment {
    const parts: (string | Hole)[] = [];
    let at = from;
    for (let i = this.#indexOf(from); i < this.#holes.length && this.#holes[i]!.at < to; i++) {
      const { at: end, hole } = this.#holes[i]!;
      parts.push(this.text.slice(at, end), hole);
      at = end + HOLE.length;
    }
    parts.push(this.text.slice(at, to));
    return parts;
  }

  #indexOf(offset: number): number {
    let low = 0;
    for (let high = this.#holes.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.#holes[middle]!.at < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function targetOf({ href, optedOut }: HtmlLink, ownUrl: string): string | undefined {
  if (optedOut || !/^\s*https?:\/\//i.test(href)) return undefined;
  const target = href
    .replace(/[\t\r\n]/g, '')
    .trim()
    .toWellFormed();
  const url = target.length > TARGET_MAX ? null : URL.parse(target);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  return url.href.startsWith(`${ownUrl}/`) ? undefined : target;
}

const pixel = (links: MailLinks): Fragment => [
  `<img src="${links.before('open')}`,
  { kind: 'linkToken', tokens: links.tokens, purpose: links.purposeOf('open') },
  '" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">',
];

export function trackedHtml(html: Fragment, links: MailLinks): Fragment {
  const joined = new Joined(html);
  const { links: found, bodyEnd } = htmlLinks(joined.text);
  const parts: (string | Hole)[] = [];
  const before = links.before('click');
  const token: Hole = { kind: 'linkToken', tokens: links.tokens, purpose: links.purposeOf('click') };
  let at = 0;
  let added = 0;
  const copyTo = (to: number): void => void parts.push(...joined.slice(at, to));
  const addPixel = (): void => {
    copyTo(bodyEnd);
    parts.push(...pixel(links));
    at = bodyEnd;
  };
  let isPixelDue = true;
  for (const link of found) {
    if (isPixelDue && link.from > bodyEnd) {
      addPixel();
      isPixelDue = false;
    }
    const target = joined.hasHole(link.from, link.to) ? undefined : targetOf(link, links.publicUrl);
    if (target === undefined) continue;
    const after = links.afterToken(target);
    added += before.length + LINK_TOKEN_LENGTH + after.length;
    if (added > ADDED_MAX) break;
    copyTo(link.from);
    parts.push(before, token, after);
    at = link.to;
  }
  if (isPixelDue) addPixel();
  copyTo(joined.text.length);
  return parts;
}
