import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { applicationCode } from '../fields/application.ts';
import { listOf, nonEmptyIdentity, object } from '../values.ts';

const MAX_APPLICATIONS = 1000;

export const createGroup = admin('createGroup', {
  description: 'Creates a group of applications of one account.',
  route: 'POST groups',
  status: 201,
  input: object({
    name: nonEmptyIdentity.describe('Name of the group.'),
    applications: listOf(applicationCode, MAX_APPLICATIONS).describe('Codes of the applications, all of one account.'),
  }),
  output: z.object({ code: z.string().describe('Code of the new group.') }),
  examples: [{ request: { name: 'Europe', applications: ['A1B2C-3D4E5'] }, reply: { code: 'B1B2C-3D4E5' } }],
});
