const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

export const VOID = setOf(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

export const HIDDEN = setOf(
  'area audio base canvas datalist head iframe link meta noembed noframes noscript param rp script source style template textarea title track video',
);

export const PARAGRAPHS = setOf('blockquote dl h1 h2 h3 h4 h5 h6 listing ol p pre table ul xmp');

export const BLOCKS = setOf(
  'address article aside body caption center dd details dialog dir div dt fieldset figcaption figure footer form header hgroup hr html legend li main menu nav optgroup option plaintext search section select summary tbody tfoot thead tr',
);

export const CELLS = setOf('td th');

export const IN_TABLE = setOf('caption col colgroup tbody td tfoot th thead tr');

export const PREFORMATTED = setOf('listing pre xmp plaintext');

export const HEADINGS = setOf('h1 h2 h3 h4 h5 h6');

export const SHOWN_WITHIN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['details', setOf('summary')],
  ['select', setOf('optgroup option')],
  ['optgroup', setOf('option')],
  ['svg', setOf('g text')],
  ['g', setOf('g text')],
]);

/** Browsers exempt them from `text-transform`. */
export const CONTROLS = setOf('button select');

export const IN_HEAD = setOf('base basefont bgsound link meta noframes noscript script style template title');

/** Their end tags leave blocks within them open (HTML 13.2.6.1). */
export const FORMATTING = setOf('a b big code em font i nobr s small strike strong tt u');

export const SCOPES = setOf('applet button caption html marquee object table td template th');

const cellSets = setOf('table tbody tfoot thead tr');
const rowSets = setOf('table tbody tfoot thead');

export const TABLE_FRAMES = cellSets;

export const frameOf = (name: string): ReadonlySet<string> =>
  CELLS.has(name) ? cellSets : name === 'tr' ? rowSets : setOf('table');

const items = setOf('ol ul menu dir table td th');
const terms = setOf('dl table td th');

export const IMPLIED_ENDS: ReadonlyMap<
  string,
  { readonly ends: ReadonlySet<string>; readonly within: ReadonlySet<string> }
> = new Map([
  ...[...BLOCKS, ...PARAGRAPHS]
    .filter((name) => !IN_TABLE.has(name) && !/^(?:body|html|legend|optgroup|option|select)$/.test(name))
    .map((name) => [name, { ends: setOf('p'), within: SCOPES }] as const),
  ['li', { ends: setOf('li'), within: items }],
  ['dd', { ends: setOf('dd dt'), within: terms }],
  ['dt', { ends: setOf('dd dt'), within: terms }],
  ['option', { ends: setOf('option'), within: setOf('select datalist') }],
  ['optgroup', { ends: setOf('optgroup option'), within: setOf('select') }],
  ['a', { ends: setOf('a'), within: SCOPES }],
  ['button', { ends: setOf('button'), within: setOf('table td th') }],
]);
