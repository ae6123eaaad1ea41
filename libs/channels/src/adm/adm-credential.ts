import type { CredentialDefinition } from '../credential-definition.ts';

/** A security profile of Amazon's developer console. */
export interface AdmCredential {
  readonly clientId: string;
  readonly clientSecret: string;
}

const ID = 'adm_cid';
const SECRET = 'adm_secret';

/** The settings of platform 9; the framework of the app changes nothing of what is sent (Spec A). */
export const admCredential: CredentialDefinition<AdmCredential> = {
  requiredFor: () => [ID, SECRET],
  read: async ({ settings }) => ({ clientId: settings.get(ID)!, clientSecret: settings.get(SECRET)! }),
  identityOf: ({ clientId, clientSecret }) => [clientId, clientSecret],
};
