export { deleteEmail } from './deleteEmail.ts';
export { registerEmail, registerEmailUser } from './registerEmail.ts';
export { setEmailTags } from './setEmailTags.ts';
