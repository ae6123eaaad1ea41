export { deleteEmail } from './deleteEmail.ts';
export { registerEmail } from './registerEmail.ts';
export { registerEmailUser } from './registerEmailUser.ts';
export { setEmailTags } from './setEmailTags.ts';
