const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Elements without content. */
export const VOID = setOf(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/** Elements that are not shown. */
export const HIDDEN = setOf(
  'area audio base canvas datalist head iframe link meta noembed noframes noscript param rp script source style template textarea title track video',
);

/** Elements that an empty line precedes and follows in a text. */
export const PARAGRAPHS = setOf('blockquote dl h1 h2 h3 h4 h5 h6 listing ol p pre table ul xmp');

/** Other elements that begin a line. */
export const BLOCKS = setOf(
  'address article aside body caption center dd details dialog dir div dt fieldset figcaption figure footer form header hgroup hr html legend li main menu nav optgroup option plaintext search section select summary tbody tfoot thead tr',
);

export const CELLS = setOf('td th');

/** Elements that exist within a table only: elsewhere browsers ignore their tags. */
export const IN_TABLE = setOf('caption col colgroup tbody td tfoot th thead tr');

/** Elements whose first line end is no part of their text. */
export const PREFORMATTED = setOf('listing pre xmp plaintext');

export const HEADINGS = setOf('h1 h2 h3 h4 h5 h6');

/** Elements of whose content only some elements are shown. */
export const SHOWN_WITHIN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['details', setOf('summary')],
  ['select', setOf('optgroup option')],
  ['optgroup', setOf('option')],
  ['svg', setOf('g text')],
  ['g', setOf('g text')],
]);

/** Elements that style sheets of browsers take out of `text-transform`. */
export const CONTROLS = setOf('button select');

/** Elements that a head may contain; others end it (HTML 13.2.6.4.4). */
export const IN_HEAD = setOf('base basefont bgsound link meta noframes noscript script style template title');

/** Elements whose end tags leave blocks within them open (HTML 13.2.6.1). */
export const FORMATTING = setOf('a b big code em font i nobr s small strike strong tt u');

/** Elements through which a tag ends no other element (HTML 13.2.4.2). */
export const SCOPES = setOf('applet button caption html marquee object table td template th');

const cellSets = setOf('table tbody tfoot thead tr');
const rowSets = setOf('table tbody tfoot thead');

/** Parts of tables that hold other parts only: browsers move all else before the table. */
export const TABLE_FRAMES = cellSets;

/** The frame in which a part of a table begins; parts within it that are open end. */
export const frameOf = (name: string): ReadonlySet<string> =>
  CELLS.has(name) ? cellSets : name === 'tr' ? rowSets : setOf('table');

const items = setOf('ol ul menu dir table td th');
const terms = setOf('dl table td th');

/** The elements that a start tag ends, up to those through which it does not. */
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
