import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const pageVisit: Handler<typeof api.pageVisit> = async () => {};
export const triggerInAppAction: Handler<typeof api.triggerInAppAction> = async () => {};
export const richMediaAction: Handler<typeof api.richMediaAction> = async () => {};
export const getInApps: Handler<typeof api.getInApps> = async () => ({ inApps: [] });
