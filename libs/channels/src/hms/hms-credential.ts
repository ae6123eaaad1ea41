import type { CredentialDefinition } from '../credential-definition.ts';

/** An app of Huawei's AppGallery: its id is also the client of its access tokens. */
export interface HmsCredential {
  readonly appId: string;
  readonly appSecret: string;
}

const ID = 'huawei_app_id';
const SECRET = 'huawei_app_secret';

/** The settings of platform 17 (R-A6). */
export const hmsCredential: CredentialDefinition<HmsCredential> = {
  requiredFor: () => [ID, SECRET],
  read: async ({ settings }) => ({ appId: settings.get(ID)!, appSecret: settings.get(SECRET)! }),
  identityOf: ({ appId, appSecret }) => [appId, appSecret],
};
