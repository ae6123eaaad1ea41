import type { z } from 'zod';
import { applicationCode } from '../fields/application.ts';
import { jsonText } from '../lone-surrogates.ts';
import { integer, object } from '../values.ts';

export interface PlatformSettings {
  readonly application: string;
  readonly platform: number;
  /** By the name of the request's field; objects and lists as JSON text. */
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly disabled: boolean;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));

/** @param secrets fields that are sealed @param enabled the flag that turns the platform off */
export const platformFields = <Shape extends z.core.$ZodShape>(
  shape: Shape,
  { secrets, enabled }: { readonly secrets: readonly string[]; readonly enabled?: string },
): z.ZodType<PlatformSettings> =>
  object({
    application: applicationCode,
    device_type: integer.describe('Platform to configure. It determines the other fields.'),
    ...shape,
  }).transform((request) => {
    const { application, device_type: platform, ...fields } = request as Record<string, unknown>;
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    return {
      application: application as string,
      platform: platform as number,
      settings: Object.fromEntries(given.map(([name, value]) => [name, textOf(value)])),
      secrets,
      disabled: enabled !== undefined && fields[enabled] === false,
    };
  });
