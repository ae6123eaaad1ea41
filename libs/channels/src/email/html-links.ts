import { readTags } from './html-tags.ts';

export interface HtmlLink {
  readonly from: number;
  readonly to: number;
  readonly href: string;
  readonly optedOut: boolean;
}

export interface HtmlLinks {
  readonly links: readonly HtmlLink[];
  readonly bodyEnd: number;
}

const LINKS: ReadonlySet<string> = new Set(['a', 'area']);

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
