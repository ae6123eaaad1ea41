import { deleteEmail } from './deleteEmail.ts';
import { registerEmail } from './registerEmail.ts';
import { registerEmailUser } from './registerEmailUser.ts';
import { setEmailTags } from './setEmailTags.ts';

export const emailMethods = {
  registerEmail,
  registerEmailUser,
  deleteEmail,
  setEmailTags,
} as const;
