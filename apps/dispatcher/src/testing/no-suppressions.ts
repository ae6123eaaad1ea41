import type { Devices } from '@tidings/rpc';

export const noSuppressions: Pick<Devices, 'findSuppressed'> = { findSuppressed: async () => ({ found: [] }) };
