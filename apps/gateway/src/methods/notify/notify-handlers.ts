import type { notifyMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { notify } from './notify.ts';

export const notifyHandlers = { notify } satisfies Serves<typeof notifyMethods>;
