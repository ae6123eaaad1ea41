import { randomUUID } from 'node:crypto';
import type { MessageAccepted } from '@tidings/events';
import { compileText, type CompiledText, fillText, inFileUrl, type Variables } from '@tidings/messaging';
import { Attributes } from '@tidings/rpc';
import { attributesOf, type Reader } from './attributes.ts';
import type { FieldWriter } from './field-writer.ts';

type Encode = (value: string) => string;

interface Hole {
  readonly tag: Uint8Array;
  readonly text: CompiledText;
  readonly encode: Encode;
  /** An empty element keeps its place in the list. */
  readonly isElement: boolean;
}

export interface CompiledAttributes {
  readonly shared: Uint8Array;
  readonly holes: readonly Hole[];
}

type Name = keyof Attributes;

const same: Encode = (value) => value;
const MARK = randomUUID();

const encoded = (fields: Partial<Attributes>): Uint8Array => Attributes.encode(Attributes.fromPartial(fields)).finish();

const tagOf = (name: Name): Uint8Array => encoded({ [name]: name === 'safariUrlArgs' ? ['x'] : 'x' }).subarray(0, -2);

export const USER_ID = tagOf('userId');

export function compileAttributes(accepted: MessageAccepted, variables: Variables, reader: Reader): CompiledAttributes {
  const marked = new Map<string, Pick<Hole, 'text' | 'encode'>>();
  const shown =
    (encode: Encode) =>
    (template: string): string => {
      const text = compileText(template, variables, encode);
      if (text.every((part) => typeof part === 'string')) return fillText(text, () => undefined, encode);
      const mark = `${MARK} ${marked.size}`;
      marked.set(mark, { text, encode });
      return mark;
    };
  const shows = { text: shown(same), url: shown(encodeURIComponent), fileUrl: shown(inFileUrl) };
  const attributes = attributesOf(accepted, reader, shows);
  const holes: Hole[] = [];
  const shared: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes) as [Name, unknown][]) {
    const list = Array.isArray(value) ? (value as string[]) : [value];
    if (!list.some((one) => typeof one === 'string' && marked.has(one))) shared[name] = value;
    else {
      const of = { tag: tagOf(name), isElement: Array.isArray(value) };
      for (const one of list as string[]) holes.push({ ...of, ...(marked.get(one) ?? { text: [one], encode: same }) });
    }
  }
  return { shared: encoded(shared), holes };
}

export function writeAttributes(
  writer: FieldWriter,
  { shared, holes }: CompiledAttributes,
  valueOf: (tag: string) => string | undefined,
): void {
  writer.fields(shared);
  for (const { tag, text, encode, isElement } of holes) {
    const filled = fillText(text, valueOf, encode);
    if (isElement) writer.element(tag, filled);
    else writer.text(tag, filled);
  }
}
