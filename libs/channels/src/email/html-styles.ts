export type Attributes = ReadonlyMap<string, string>;

export type StyleProperty = 'display' | 'visibility' | 'text-transform' | 'white-space' | 'float' | 'position';

export interface StyledElement {
  readonly name: string;
  readonly id: string;
  readonly classes: ReadonlySet<string>;
}

interface Declaration {
  readonly property: StyleProperty;
  readonly value: string;
  readonly isImportant: boolean;
}

interface Compound {
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
}

interface Rule {
  readonly compounds: readonly Compound[];
  readonly declarations: readonly Declaration[];
  readonly specificity: number;
}

const DECLARATION =
  /(?:^|;)\s*(display|visibility|text-transform|white-space|float|position)\s*:\s*([a-z-]+)\s*(!\s*important\s*)?(?=;|$)/gi;
const COMPOUND = /^([a-z][a-z0-9]*|\*)?((?:[.#][\w-]+)*)$/i;

/** Bounds on style sheets of callers. */
const RULES_MAX = 300;
const COMPOUNDS_MAX = 5;
const CLASSES_MAX = 30;
const INLINE_MAX = 500;
const COMPARISONS_MAX = 500_000;

const ID_WEIGHT = 10_000;
const CLASS_WEIGHT = 100;
const INLINE_WEIGHT = 10 ** 6;
const IMPORTANT_WEIGHT = 10 ** 7;

const declarationsIn = (text: string): Declaration[] =>
  Array.from(text.matchAll(DECLARATION), ([, property = '', value = '', important]) => ({
    property: property.toLowerCase() as StyleProperty,
    value: value.toLowerCase(),
    isImportant: important !== undefined,
  }));

function compoundOf(text: string): Compound | undefined {
  const [, name = '*', rest = ''] = COMPOUND.exec(text) ?? [];
  if (text === '' || !COMPOUND.test(text)) return undefined;
  const parts = rest.match(/[.#][\w-]+/g) ?? [];
  return {
    name: name.toLowerCase(),
    id: parts.find((part) => part.startsWith('#'))?.slice(1) ?? '',
    classes: parts.filter((part) => part.startsWith('.')).map((part) => part.slice(1)),
  };
}

function compoundsOf(selector: string): Compound[] | undefined {
  const parts = selector.trim().split(/[\s>]+/, COMPOUNDS_MAX + 1);
  if (parts.length > COMPOUNDS_MAX) return undefined;
  const compounds = parts.map(compoundOf).filter((compound) => compound !== undefined);
  return compounds.length === parts.length ? compounds : undefined;
}

const specificityOf = (compounds: readonly Compound[]): number =>
  compounds.reduce(
    (sum, { name, id, classes }) =>
      sum + (id === '' ? 0 : ID_WEIGHT) + classes.length * CLASS_WEIGHT + (name === '*' ? 0 : 1),
    0,
  );

const keyOf = ({ name, id, classes: [first] }: Compound): string =>
  id === '' ? (first === undefined ? name : `.${first}`) : `#${id}`;

function withoutComments(css: string): string {
  const parts: string[] = [];
  for (let at = 0; ;) {
    const start = css.indexOf('/*', at);
    parts.push(css.slice(at, start < 0 ? undefined : start));
    const end = start < 0 ? -1 : css.indexOf('*/', start + 2);
    if (end < 0) return parts.join(' ').replace(/<!--|-->/g, ' ');
    at = end + 2;
  }
}

function* blocksOf(css: string): Generator<readonly [selectors: string, body: string]> {
  let skipped = 0;
  let prelude = '';
  let at = 0;
  for (const { 0: brace, index } of css.matchAll(/[{}]/g)) {
    const part = css.slice(at, index);
    at = index + 1;
    if (skipped > 0) skipped += brace === '{' ? 1 : -1;
    else if (brace === '}') {
      if (prelude !== '') yield [prelude, part];
      prelude = '';
    } else {
      const selectors = part.slice(part.lastIndexOf(';') + 1).trim();
      if (!selectors.startsWith('@')) prelude = selectors;
      else if (!/^@media\s+(?:all|screen)$/i.test(selectors)) skipped = 1;
    }
  }
}

const isMatch = (element: StyledElement, { name, id, classes }: Compound): boolean =>
  (name === '*' || name === element.name) &&
  (id === '' || id === element.id) &&
  classes.every((each) => element.classes.has(each));

const NO_CLASSES: ReadonlySet<string> = new Set();
const NO_STYLE: ReadonlyMap<StyleProperty, string> = new Map();

export function styledElement(name: string, attributes: Attributes): StyledElement {
  const classes = attributes.get('class');
  return {
    name,
    id: attributes.get('id') ?? '',
    classes: classes === undefined ? NO_CLASSES : new Set(classes.split(/\s+/, CLASSES_MAX)),
  };
}

export class StyleSheets {
  readonly #rules = new Map<string, Rule[]>();
  readonly #inline = new Map<string, readonly Declaration[]>();
  #count = 0;
  #comparisons = COMPARISONS_MAX;

  add(css: string): void {
    for (const [selectors, body] of blocksOf(withoutComments(css))) {
      const declarations = declarationsIn(body);
      if (declarations.length > 0) for (const selector of selectors.split(',')) this.#addRule(selector, declarations);
    }
  }

  #addRule(selector: string, declarations: readonly Declaration[]): void {
    const compounds = compoundsOf(selector);
    if (!compounds || this.#count++ >= RULES_MAX) return;
    const key = keyOf(compounds.at(-1)!);
    const rules = this.#rules.get(key) ?? [];
    rules.push({ compounds, declarations, specificity: specificityOf(compounds) + this.#count / RULES_MAX / 2 });
    this.#rules.set(key, rules);
  }

  styleOf(
    element: StyledElement,
    attributes: Attributes,
    ancestors: readonly StyledElement[],
  ): ReadonlyMap<StyleProperty, string> {
    const own = attributes.get('style');
    const ownDeclarations = own === undefined ? [] : this.#declarationsOf(own);
    if (this.#count === 0 && ownDeclarations.length === 0) return NO_STYLE;
    const values = new Map<StyleProperty, string>();
    const weights = new Map<StyleProperty, number>();
    const apply = (declarations: readonly Declaration[], specificity: number): void => {
      for (const { property, value, isImportant } of declarations) {
        const weight = specificity + (isImportant ? IMPORTANT_WEIGHT : 0);
        if (weight < (weights.get(property) ?? -1)) continue;
        weights.set(property, weight);
        values.set(property, value);
      }
    };
    for (const { compounds, declarations, specificity } of this.#candidates(element)) {
      if (this.#applies(compounds, element, ancestors)) apply(declarations, specificity);
    }
    apply(ownDeclarations, INLINE_WEIGHT);
    return values;
  }

  #declarationsOf(style: string): readonly Declaration[] {
    const cached = this.#inline.get(style);
    if (cached) return cached;
    const declarations = declarationsIn(style);
    if (this.#inline.size < INLINE_MAX) this.#inline.set(style, declarations);
    return declarations;
  }

  *#candidates({ name, id, classes }: StyledElement): Generator<Rule> {
    yield* this.#rules.get('*') ?? [];
    yield* this.#rules.get(name) ?? [];
    for (const each of classes) yield* this.#rules.get(`.${each}`) ?? [];
    if (id !== '') yield* this.#rules.get(`#${id}`) ?? [];
  }

  #applies(compounds: readonly Compound[], element: StyledElement, ancestors: readonly StyledElement[]): boolean {
    let index = compounds.length - 1;
    if (this.#comparisons-- <= 0 || !isMatch(element, compounds[index]!)) return false;
    for (let i = ancestors.length - 1; i >= 0 && index > 0; i--) {
      if (this.#comparisons-- <= 0) return false;
      if (isMatch(ancestors[i]!, compounds[index - 1]!)) index--;
    }
    return index === 0;
  }
}
