import type { Grant } from '@tidings/rpc';

export const isGranted = (
  grant: Grant | undefined,
  { code, authorizeAllTokens }: { readonly code: string; readonly authorizeAllTokens: boolean },
): boolean => !grant || grant.allApplications || authorizeAllTokens || grant.applications.includes(code);
