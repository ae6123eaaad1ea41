import { defaultQuotas, type Quotas } from '@tidings/kernel';
import { z } from 'zod';

const names: Readonly<Record<string, keyof Quotas>> = {
  applications: 'applications',
  tags: 'tags',
  presets: 'presets',
  filters: 'filters',
  geozones: 'geozones',
  test_devices: 'testDevices',
};

const MOST = 1_000_000;

/** `name=number,name=number,…` */
export const quotas = z
  .string()
  .default('')
  .transform((text, context): Quotas => {
    const given: Partial<Record<keyof Quotas, number>> = {};
    for (const entry of text.split(',').filter((each) => each.trim() !== '')) {
      const [, name = '', digits = ''] = /^\s*(\w+)\s*=\s*(\d{1,7})\s*$/.exec(entry) ?? [];
      const quota = Object.hasOwn(names, name) ? names[name] : undefined;
      if (!quota || Number(digits) > MOST || given[quota] !== undefined) {
        context.addIssue(`must be name=number,… with each of ${Object.keys(names).join(', ')} once, 0 to ${MOST}`);
        return z.NEVER;
      }
      given[quota] = Number(digits);
    }
    return { ...defaultQuotas, ...given };
  });
