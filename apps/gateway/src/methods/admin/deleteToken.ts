import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { tokenNotFound } from './token.ts';

export const deleteToken: Handler<typeof api.deleteToken, 'tokens'> = async ({ id }, { tokens }) => {
  const { revoked } = await tokens.revokeToken({ id });
  if (!revoked) throw tokenNotFound();
};
