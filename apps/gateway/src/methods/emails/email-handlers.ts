import type { emailMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { deleteEmail } from './deleteEmail.ts';
import { registerEmail } from './registerEmail.ts';
import { registerEmailUser } from './registerEmailUser.ts';
import { setEmailTags } from './setEmailTags.ts';

export const emailHandlers = {
  registerEmail,
  registerEmailUser,
  deleteEmail,
  setEmailTags,
} satisfies Serves<typeof emailMethods>;
