import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';
import { describe, expect, it } from '@jest/globals';
import { analyse } from 'scslre';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

const isTest = /\.spec\.ts$|\.features\.ts$|\/testing\/|\/e2e\/|^apps\/simulators\/|^libs\/testing\/|\/generated\//;
const sources = globSync('{apps,libs}/*/src/**/*.ts', { cwd: root }).filter((path) => !isTest.test(path));

/** As they are when the source is loaded. */
const composed: Readonly<Record<string, readonly RegExp[]>> = {
  'apps/dispatcher/src/channels/credentials/access-token.ts': [/"access_token"\s*:\s*"[^"]{8193}/],
  'apps/dispatcher/src/dispatcher-purge.ts': [/^[^/]+\/\d+\/A1B2C-3D4E5\//],
  'apps/gateway/src/http/served-routes.ts': [/^\/safari\/[^/]+\/v2\/devices\/[^/]+\/log$/],
  'apps/registry/src/tokens/secret.ts': [/^td[ad]_[0-9a-zA-Z]{38}$/],
  'apps/statistics/src/projections/generations.ts': [/^hours_\d+$/],
  'libs/channels/src/email/compiled-text.ts': [/\u0001(\d+)\u0001/],
  'libs/channels/src/email/incoming/complaint.ts': [/(?:^|[^\w.-])b-([a-z2-7]{64})@/i, /\.([a-z2-7]{64})@/i],
  'libs/channels/src/email/mail-links.ts': [/\/c\/[\w-]+\/[\w-]+\?to=([^&#?/=]+)$/],
  'libs/channels/src/email/mail-opens.ts': [],
  'libs/channels/src/email/mime.ts': [/.{1,60}/g],
  'libs/channels/src/email/smtp-reply.ts': [
    /(?<![\w.])(4[0-57]\d|5[0-7]\d)(?!\d|\.\d)(?=[ \t\r\n#-])/g,
    /(?:^[ \t>|*<-]*|[:;'"<(#=] ?|\b(?:error|code|said|says|returned|replied|response|reply|status)[ \t]+)(4[0-57]\d|5[0-7]\d)(?!\d|\.\d)(?=[ \t\r\n:,;.'")\]#-]|$)/gim,
  ],
  'libs/local-servers/src/mongod-access.ts': [/^[0-9A-Za-z]{32}$/],
  'libs/messaging/src/link-token.ts': [/^[\w-]{64}$/],
};

function patternsIn(path: string): { readonly literals: readonly string[]; readonly isComposed: boolean } {
  const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, false);
  const literals: string[] = [];
  let isComposed = false;
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) literals.push(node.text);
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(file) === 'RegExp') {
      isComposed = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { literals, isComposed };
}

const found = new Map(sources.map((path) => [path, patternsIn(path)]));
const patterns = new Set([
  ...[...found.values()].flatMap(({ literals }) => literals),
  ...Object.values(composed).flatMap((list) => list.map(String)),
]);

const CANDIDATES = ['a', '1', ' ', 'A', '-', '.', '/', '"', '\\', '\n', '=', ';', '\u0080'];

function exampleOf(element: AST.Element | AST.Alternative | AST.Pattern, flags: string): string {
  switch (element.type) {
    case 'Pattern':
    case 'CapturingGroup':
    case 'Group':
      return exampleOf(element.alternatives[0]!, flags);
    case 'Alternative':
      return element.elements.map((each) => exampleOf(each, flags)).join('');
    case 'Quantifier':
      return exampleOf(element.element, flags).repeat(Math.max(1, Math.min(element.min, 100)));
    case 'Character':
      return String.fromCodePoint(element.value);
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass': {
      const one = new RegExp(`^${element.raw}$`, flags.replace(/[gmy]/g, ''));
      return CANDIDATES.find((candidate) => one.test(candidate)) ?? String.fromCodePoint(firstOf(element));
    }
    default:
      return '';
  }
}

function firstOf(element: AST.Element): number {
  const [first] = element.type === 'CharacterClass' ? element.elements : [];
  if (first?.type === 'Character') return first.value;
  return first?.type === 'CharacterClassRange' ? first.min.value : 0;
}

/** Each with a text that leads to it. */
function quantifiersIn(pattern: AST.Pattern, flags: string): { readonly before: string; readonly pumped: string }[] {
  const all: { before: string; pumped: string }[] = [];
  const visit = (element: AST.Element | AST.Alternative | AST.Pattern, before: string): void => {
    if (element.type === 'Quantifier') {
      if (element.max > 1000) all.push({ before, pumped: exampleOf(element.element, flags) });
      visit(element.element, before);
    } else if (element.type === 'Alternative') {
      let lead = before;
      for (const each of element.elements) {
        visit(each, lead);
        lead += exampleOf(each, flags);
      }
    } else if ('alternatives' in element) {
      for (const alternative of element.alternatives) visit(alternative, before);
    }
  };
  visit(pattern, '');
  return all;
}

/** Patterns do not match these ends; few classes exclude the second's characters. */
const ENDS = ['\u0000', '\u0000&#<>"\'`[]{}()|,;\n '];

function hostileTexts(literal: string): ((length: number) => string)[] {
  const { pattern, flags } = parseRegExpLiteral(literal);
  const whole = exampleOf(pattern, flags.raw);
  return quantifiersIn(pattern, flags.raw).flatMap(({ before, pumped }) =>
    [
      [before, pumped || 'a'],
      ['', before + pumped || 'a'],
      ['', whole || 'a'],
    ].flatMap(([lead = '', unit = '']) =>
      ENDS.map((end) => (length: number) => lead + unit.repeat(Math.ceil(length / unit.length)) + end),
    ),
  );
}

function cpuMsOf(expression: RegExp, text: string): number {
  const before = process.cpuUsage();
  text.replace(expression, '');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Less is the noise of the clock, and of garbage collections. */
const NOISE_MS = 30;

const isSlow = (literal: string, length = 100_000): boolean => {
  const end = literal.lastIndexOf('/');
  const expression = new RegExp(literal.slice(1, end), literal.slice(end + 1));
  return hostileTexts(literal).some(
    (textOf) => cpuMsOf(expression, textOf(length)) > 3 * cpuMsOf(expression, textOf(length / 2)) + NOISE_MS,
  );
};

const isProvablySlow = (literal: string): boolean => {
  const { pattern, flags } = parseRegExpLiteral(literal);
  return analyse({ pattern, flags }).reports.length > 0;
};

describe('the time that a pattern takes', () => {
  it('is examined for composed patterns, too', () => {
    const paths = [...found].filter(([, { isComposed }]) => isComposed).map(([path]) => path);
    expect(paths.toSorted()).toEqual(Object.keys(composed).toSorted());
  });

  it('grows with the length of the text, not with its square', () => {
    expect([...patterns].filter((literal) => isProvablySlow(literal) || isSlow(literal))).toEqual([]);
  });

  it.each([
    String.raw`/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/`,
    String.raw`/\/+$/`,
    String.raw`/^(mailto:\S+@\S+|https:\/\/\S+)$/`,
  ])('is detected as provably slow: %s', (literal) => expect(isProvablySlow(literal)).toBe(true));

  it.each([String.raw`/<b>.*<\/b>/`, String.raw`/\/c\/[\w-]+\?to=([^&#]+)$/`])(
    'is detected as slow by measurement: %s',
    (literal) => expect(isSlow(literal, 40_000)).toBe(true),
  );
});
