import type { CredentialDefinition } from '../credential-definition.ts';

export interface HmsCredential {
  readonly appId: string;
  readonly appSecret: string;
}

const ID = 'huawei_app_id';
const SECRET = 'huawei_app_secret';

export const hmsCredential: CredentialDefinition<HmsCredential> = {
  requiredFor: () => [ID, SECRET],
  read: async ({ settings }) => ({ appId: settings.get(ID)!, appSecret: settings.get(SECRET)! }),
  identityOf: ({ appId, appSecret }) => [appId, appSecret],
};
