import { readFileSync } from 'node:fs';

/**
 * The text of each of `htmlMails` as Chromium shows it, a line for each mail: `document.body.innerText`, white space collapsed.
 * `node tools/golden-words.mjs` wrote them with the Chromium that the first line names.
 */
const [, ...lines] = readFileSync(new URL('golden-words.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

export const goldenWords: readonly string[] = lines.map((line) => JSON.parse(line) as string);

/** The words of a text alone: without the addresses of links and the dashes of lists. */
export const wordsOf = (text: string): string =>
  text
    .replace(/^- /gm, '')
    .replace(/ ?<(?:https?|mailto|tel):[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
