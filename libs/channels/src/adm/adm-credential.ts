import type { CredentialDefinition } from '../credential-definition.ts';

export interface AdmCredential {
  readonly clientId: string;
  readonly clientSecret: string;
}

const ID = 'adm_cid';
const SECRET = 'adm_secret';

export const admCredential: CredentialDefinition<AdmCredential> = {
  requiredFor: () => [ID, SECRET],
  read: async ({ settings }) => ({ clientId: settings.get(ID)!, clientSecret: settings.get(SECRET)! }),
  identityOf: ({ clientId, clientSecret }) => [clientId, clientSecret],
};
