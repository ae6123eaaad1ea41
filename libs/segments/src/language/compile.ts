import { Refusal } from '@tidings/kernel';
import type { Expression } from '@tidings/events';
import { platformNamed } from './platform-names.ts';
import type { Argument, Call, Parsed, Syntax } from './syntax.ts';
import { depthOf, joined, MAX_DEPTH } from '../tree.ts';
import { syntaxError } from './language-tokens.ts';

export interface NameResolver {
  readonly hasApplication: (code: string) => boolean;
  readonly group: (code: string) => readonly string[] | undefined;
  readonly segment: (code: string) => Expression | undefined;
  readonly condition: (tag: string, term: ConditionTerm) => Expression;
}

export type ConditionTerm =
  | { readonly kind: 'operator'; readonly operator: string; readonly operand: unknown }
  | { readonly kind: 'daysago'; readonly comparison: string; readonly days: string };

export interface ReferencedNames {
  readonly tags: ReadonlySet<string>;
  readonly applications: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly segments: ReadonlySet<string>;
}

const NUMBER = /^[+-]?(\d+(\.\d*)*|\.\d+)([eE][+-]?\d+)?$/;
const FLAG = /^(true|false)$/i;
const WITH_TOKENS = 'WITH_TOKENS';
const DAYS_AGO = 'DAYSAGO';

const callsIn = (syntax: Syntax): readonly Call[] => {
  switch (syntax.kind) {
    case 'call':
      return [syntax];
    case 'not':
      return callsIn(syntax.of);
    case 'all':
    case 'any':
      return syntax.of.flatMap(callsIn);
  }
};

class Arguments {
  readonly #source: string;
  readonly #call: Call;
  #position = 0;

  constructor(source: string, call: Call) {
    this.#source = source;
    this.#call = call;
  }

  refuse(reason: string, argument?: Argument): Refusal {
    return syntaxError(this.#source, argument?.at ?? this.#call.end, reason);
  }

  #next(what: string): Argument {
    const argument = this.#call.arguments[this.#position++];
    if (!argument) throw this.refuse(`${what} expected`);
    return argument;
  }

  name(what: string): string {
    const argument = this.#next(what);
    if (!('text' in argument) || argument.text === '') throw this.refuse(`${what} expected`, argument);
    return argument.text;
  }

  code(what: string): string {
    return this.name(what).toUpperCase();
  }

  names(what: string): readonly { readonly text: string }[] {
    if (this.#position >= this.#call.arguments.length) return [];
    const argument = this.#next(what);
    if (argument.kind !== 'list') throw this.refuse(`list of ${what} expected`, argument);
    return argument.of.map((each) => {
      if (!('text' in each)) throw this.refuse(`${what} expected`, each);
      return each;
    });
  }

  #scalar(argument: Argument): string | boolean {
    if (argument.kind === 'flag') return argument.value;
    if (argument.kind === 'text') return argument.text;
    if (argument.kind === 'word' && NUMBER.test(argument.text)) return argument.text;
    if (argument.kind === 'word' && FLAG.test(argument.text)) return argument.text.toLowerCase();
    throw this.refuse('text in quotes, number, true or false expected', argument);
  }

  operand(): unknown {
    const argument = this.#next('operand');
    return argument.kind === 'list' ? argument.of.map((each) => this.#scalar(each)) : this.#scalar(argument);
  }

  end(): void {
    const more = this.#call.arguments[this.#position];
    if (more) throw this.refuse('")" expected', more);
  }
}

export function namesIn({ source, syntax }: Parsed): ReferencedNames {
  const names = {
    tags: new Set<string>(),
    applications: new Set<string>(),
    groups: new Set<string>(),
    segments: new Set<string>(),
  };
  for (const call of callsIn(syntax)) {
    const given = new Arguments(source, call);
    if (call.name === 'A' || call.name === 'AT') names.applications.add(given.code('application code'));
    if (call.name === 'G') names.groups.add(given.code('group code'));
    if (call.name === 'Segment') names.segments.add(given.code('segment code'));
    if (call.name === 'T' || call.name === 'AT') names.tags.add(given.name('tag'));
  }
  return names;
}

function termOf(given: Arguments): ConditionTerm {
  const operator = given.name('operator');
  if (operator.toUpperCase() !== DAYS_AGO) return { kind: 'operator', operator, operand: given.operand() };
  return { kind: 'daysago', comparison: given.name('gt, gte, lt, lte or eq'), days: given.name('number of days') };
}

function within(application: string, condition: Expression): Expression {
  const { node } = condition;
  switch (node?.$case) {
    case 'tag':
      return { node: { $case: 'tag', value: { ...node.value, application } } };
    case 'all':
    case 'any':
      return { node: { ...node, value: { of: node.value.of.map((each) => within(application, each)) } } };
    default:
      return joined('all', [
        { node: { $case: 'application', value: { application, platforms: [], withToken: false } } },
        condition,
      ]);
  }
}

function restrictions(given: Arguments): { platforms: number[]; withToken: boolean } {
  const platforms = given.names('platform').map(({ text }) => {
    const code = platformNamed(text);
    if (code === undefined) throw new Refusal(`unknown platform "${text}"`);
    return code;
  });
  const options = given.names('option').map(({ text }) => text);
  const unknown = options.find((option) => option.toUpperCase() !== WITH_TOKENS);
  if (unknown !== undefined) throw new Refusal(`unknown option "${unknown}"`);
  return { platforms: [...new Set(platforms)], withToken: options.length > 0 };
}

/** @throws Refusal for wrong arguments, unknown names and excessive depth */
export function compile({ source, syntax }: Parsed, resolver: NameResolver): Expression {
  const application = (code: string): string => {
    if (resolver.hasApplication(code)) return code;
    throw new Refusal(`unknown application "${code}"`);
  };
  const compileCall = (call: Call): Expression => {
    const given = new Arguments(source, call);
    const expression = expressionOf(call.name, given);
    given.end();
    return expression;
  };
  const expressionOf = (name: Call['name'], given: Arguments): Expression => {
    switch (name) {
      case 'A': {
        const code = application(given.code('application code'));
        return { node: { $case: 'application', value: { application: code, ...restrictions(given) } } };
      }
      case 'G': {
        const code = given.code('group code');
        const group = resolver.group(code);
        if (!group) throw new Refusal(`unknown group "${code}"`);
        const value = restrictions(given);
        return joined(
          'any',
          group.map((each) => ({ node: { $case: 'application', value: { application: each, ...value } } })),
        );
      }
      case 'T':
        return resolver.condition(given.name('tag'), termOf(given));
      case 'AT': {
        const code = application(given.code('application code'));
        return within(code, resolver.condition(given.name('tag'), termOf(given)));
      }
      case 'Segment': {
        const code = given.code('segment code');
        const segment = resolver.segment(code);
        if (!segment) throw new Refusal(`unknown segment "${code}"`);
        return segment;
      }
    }
  };
  const visit = (node: Syntax, above: number, parent?: Syntax['kind']): Expression => {
    switch (node.kind) {
      case 'all':
      case 'any':
        return joined(
          node.kind,
          node.of.map((each) => visit(each, above + 1, node.kind)),
        );
      case 'not':
        return { node: { $case: 'not', value: visit(node.of, above + 1, node.kind) } };
      case 'call': {
        const meaning = compileCall(node);
        const depth = above + depthOf(meaning) - (meaning.node?.$case === parent ? 1 : 0);
        if (depth > MAX_DEPTH) throw syntaxError(source, node.at, 'nested too deeply');
        return meaning;
      }
    }
  };
  return visit(syntax, 0);
}
