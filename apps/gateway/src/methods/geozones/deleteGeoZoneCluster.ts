import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const deleteGeoZoneCluster: Handler<typeof api.deleteGeoZoneCluster, 'geozones'> = async (
  input,
  { geozones },
  { account },
) => {
  await geozones.deleteCluster({ account, ...input });
};
