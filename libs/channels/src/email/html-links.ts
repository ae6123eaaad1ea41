import { readTags } from './html-tags.ts';

/** A link in HTML: where the value of its `href` begins and ends, and the value. */
export interface HtmlLink {
  readonly from: number;
  readonly to: number;
  /** The value without entities. */
  readonly href: string;
  /** The sender does not want it to be rewritten: `clicktracking="off"`. */
  readonly optedOut: boolean;
}

export interface HtmlLinks {
  /** Links in the order of the text. */
  readonly links: readonly HtmlLink[];
  /** End of the body: before its last end tag, or behind the whole text. */
  readonly bodyEnd: number;
}

/** Elements with `href` that a reader follows. */
const LINKS: ReadonlySet<string> = new Set(['a', 'area']);

/** The links of HTML, and the end of its body. Links in comments, scripts and styles are none. */
export function htmlLinks(html: string): HtmlLinks {
  const links: HtmlLink[] = [];
  let bodyEnd = html.length;
  readTags(html, {
    open: (name, attributes) => {
      const href = LINKS.has(name) ? attributes.get('href') : undefined;
      if (!href) return;
      const optedOut = attributes.get('clicktracking')?.value.trim().toLowerCase() === 'off';
      links.push({ from: href.from, to: href.to, href: href.value, optedOut });
    },
    close: (name, at) => {
      if (name === 'body') bodyEnd = at;
    },
  });
  return { links, bodyEnd };
}
