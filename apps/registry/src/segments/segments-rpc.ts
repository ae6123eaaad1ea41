import { Semaphore } from '@tidings/coordination';
import { FORBID } from '@tidings/audience';
import { Fault, newCode } from '@tidings/kernel';
import type { Segments } from '@tidings/rpc';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { type ExportDeps, exportRpc } from './export.ts';
import { expireFilters } from './filter-expiry.ts';
import { isGranted } from '../accounts/grants.ts';
import { compiledOf, refusing, shownTo } from './expressions.ts';
import { recipientsRpc } from './recipients.ts';

const ESTIMATE_MS = 200;
const ESTIMATES = { atOnce: 2, waiting: 20 };

export interface SegmentsDeps extends ExportDeps {
  readonly write: AccountWriter;
}

export function segmentsRpc(deps: SegmentsDeps): Segments {
  const { store, clock, write, scan } = deps;
  const now = (): Date => new Date(clock.now());
  const freeCode = async (account: string): Promise<string> => {
    for (;;) {
      const code = newCode();
      if ((await store.filtersByCode(account, [code])).length === 0) return code;
    }
  };
  const estimates = new Semaphore(ESTIMATES.atOnce, ESTIMATES.waiting);
  return {
    ...exportRpc(deps),
    ...recipientsRpc(deps),

    async createFilter({ account, grant, name, expression: text, application, expiresAt }) {
      const compiled = await refusing('expression', compiledOf({ account, grant, source: text }, deps));
      // An expired filter frees its name.
      await expireFilters(store, write, clock, { account, name });
      const code = await freeCode(account);
      await write({
        account,
        action: { type: 'createFilter', code, name, text, ...compiled, application, expiresAt },
        at: now(),
      });
      return { code };
    },

    async listFilters({ account, grant, application, after }) {
      const { entries, next } = await store.filters(account, application, after);
      const shown = await shownTo(entries, { account, grant }, store);
      const filters = shown.map(({ code, name, text, application: bound, expiresAt }) => ({
        code,
        name,
        expression: text,
        application: bound,
        expiresAt,
      }));
      return { filters, next };
    },

    async deleteFilter({ account, grant, name }) {
      const filter = await store.filterNamed(account, name);
      const bound = filter && filter.application !== '' ? await store.application(filter.application) : undefined;
      if (!filter || (bound && !isGranted(grant, bound))) throw Fault.argument('Filter not found');
      // A filter without an application belongs to the whole account (R-T9).
      if (!bound && grant && !grant.allApplications) throw Fault.forbidden(FORBID);
      await write({ account, action: { type: 'deleteFilter', name, code: filter.code }, at: now() });
      return {};
    },

    async count({ account, grant, expression: source }) {
      const { expression } = await refusing('expression', compiledOf({ account, grant, source }, deps));
      const selected = { expression, now: now() };
      const applications = await store.applicationsOf(account);
      let devices = 0;
      for (const application of applications) {
        if (isGranted(grant, application)) devices += await scan.count(application.code, selected);
      }
      return { devices: BigInt(devices) };
    },

    async estimate({ account, application, expression: source }) {
      const { expression } = await refusing('expression', compiledOf({ account, grant: undefined, source }, deps));
      return estimates.run(async () => {
        const end = performance.now() + ESTIMATE_MS;
        const mayContinue = (): boolean => performance.now() < end;
        const { devices, ...read } = await scan.estimate(application, { expression, now: now() }, mayContinue);
        return { devices: BigInt(devices), ...read };
      });
    },
  };
}
