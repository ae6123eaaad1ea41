const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

export const HIDDEN = setOf(
  'area audio base canvas datalist head iframe link meta noembed noframes noscript param rp script source style template textarea title track video',
);

export const PARAGRAPHS = setOf('blockquote dl h1 h2 h3 h4 h5 h6 listing ol p pre table ul xmp');

export const BLOCKS = setOf(
  'address article aside body caption center dd details dialog dir div dt fieldset figcaption figure footer form header hgroup hr html legend li main menu nav optgroup option plaintext search section select summary tbody tfoot thead tr',
);

export const CELLS = setOf('td th');

export const PREFORMATTED = setOf('listing pre xmp plaintext');

export const SHOWN_WITHIN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['details', setOf('summary')],
  ['select', setOf('optgroup option')],
  ['optgroup', setOf('option')],
  ['svg', setOf('g text')],
  ['g', setOf('g text')],
]);

/** Browsers exempt them from `text-transform`. */
export const CONTROLS = setOf('button select');
