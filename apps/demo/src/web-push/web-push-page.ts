import type { PlatformOptions } from '@tidings/platform';
import type { Configuration } from '@tidings/runtime';
import { isLocalOnly } from './local-address.ts';

type Reach = Pick<Configuration, 'host' | 'publicUrl'>;

export const webPushModules = (reach: Reach): PlatformOptions['modules'] =>
  isLocalOnly(reach) ? async (access) => [(await import('./web-push-demo.ts')).webPushDemo(access)] : undefined;

export const pageNote = (url: string, reach: Reach): string =>
  isLocalOnly(reach) ? `A push to your browser: ${url}/demo/web-push\n\n` : '';
