const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Also within attributes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

/** The page loads nothing but its own frame. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'";

const style =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}' +
  'table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}' +
  'pre{white-space:pre-wrap;background:#f6f6f6;padding:1rem}iframe{width:100%;height:40rem;border:1px solid #ddd}';

/** @param body HTML */
export const pageOf = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style>` +
  `<p><a href="/mail">Mail</a> · <a href="/sms">SMS</a></p><h1>${escaped(title)}</h1>${body}</html>`;

/** @param rows cells as HTML */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${line(head.map(escaped), 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
};

export const shownTime = (at: number): string => new Date(at).toISOString().replace('T', ' ').slice(0, 19);
