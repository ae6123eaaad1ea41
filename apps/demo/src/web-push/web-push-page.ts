import type { PlatformOptions } from '@tidings/platform';
import type { Configuration } from '@tidings/runtime';
import { isLocalOnly } from './local-address.ts';

type Reach = Pick<Configuration, 'host' | 'publicUrl'>;

/** The page as a module of the platform; undefined where other machines reach the platform. */
export const webPushModules = (reach: Reach): PlatformOptions['modules'] =>
  isLocalOnly(reach) ? async (access) => [(await import('./web-push-demo.ts')).webPushDemo(access)] : undefined;

/** Follows the platform's greeting; empty where the page is not served. */
export const pageNote = (url: string, reach: Reach): string =>
  isLocalOnly(reach) ? `A push to your browser: ${url}/demo/web-push\n\n` : '';
