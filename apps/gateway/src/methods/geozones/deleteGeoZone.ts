import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const deleteGeoZone: Handler<typeof api.deleteGeoZone, 'geozones'> = async (
  { application, geozones: ids },
  { geozones },
  { account },
) => {
  await geozones.delete({ account, application, ids: ids.map(BigInt) });
};
