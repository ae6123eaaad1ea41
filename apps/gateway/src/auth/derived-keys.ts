import type { KeyObject } from 'node:crypto';
import type { IdentityKeys } from '@tidings/runtime';

export function keyFromReports(
  identity: () => Pick<IdentityKeys, 'report'>,
  derive: (reportKey: KeyObject) => KeyObject,
): () => KeyObject {
  let derived: { readonly from: KeyObject; readonly key: KeyObject } | undefined;
  return () => {
    const { report: from } = identity();
    if (derived?.from !== from) derived = { from, key: derive(from) };
    return derived.key;
  };
}
