import { api, choicesOf } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import { z } from 'zod';

interface Property {
  readonly description?: string;
  readonly type?: string;
  readonly anyOf?: readonly Property[];
}

export interface Setting {
  readonly field: string;
  readonly required: boolean;
  readonly description: string;
  readonly form: 'text' | 'list' | 'file' | 'account';
}

export interface PlatformFields {
  readonly name: string;
  readonly code: number;
  /** By the field's name without the platform's prefix, in kebab case. */
  readonly settings: ReadonlyMap<string, Setting>;
}

const choices = choicesOf(api.configureApplication.input)!.schemas;

function prefixOf(names: readonly string[]): string {
  const [first = '', ...others] = names;
  let end = first.lastIndexOf('_');
  while (end > 0 && !others.every((name) => name.startsWith(first.slice(0, end + 1)))) {
    end = first.lastIndexOf('_', end - 1);
  }
  return others.length > 0 ? first.slice(0, end + 1) : first.slice(0, first.indexOf('_') + 1);
}

const isList = ({ type, anyOf = [] }: Property): boolean => type === 'array' || anyOf.some(isList);

function formOf(field: string, property: Property): Setting['form'] {
  if (field.endsWith('_file')) return 'file';
  if (field.endsWith('_service_account')) return 'account';
  return isList(property) ? 'list' : 'text';
}

function fieldsOf(name: string, code: number, schema: z.ZodType): PlatformFields {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const names = Object.keys(properties).filter((field) => field !== 'application' && field !== 'device_type');
  const prefix = prefixOf(names);
  const settings = names.map((field): [string, Setting] => {
    const property = properties[field] as Property;
    const setting = {
      field,
      required: required.includes(field),
      description: property.description ?? '',
      form: formOf(field, property),
    };
    return [field.slice(prefix.length).replaceAll('_', '-'), setting];
  });
  return { name, code, settings: new Map(settings) };
}

/** Each platform that can be configured, by its name in lower case. */
export const platforms = (): ReadonlyMap<string, PlatformFields> =>
  new Map(
    Object.entries(Platform).flatMap(([platform, code]) => {
      const schema = choices.get(code);
      const name = platform.toLowerCase();
      return schema ? [[name, fieldsOf(name, code, schema)] as const] : [];
    }),
  );
