import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { shownToken, tokenNotFound } from './token.ts';

export const getToken: Handler<typeof api.getToken, 'tokens'> = async ({ id }, { tokens }) => {
  const { token } = await tokens.findToken({ id });
  if (!token) throw tokenNotFound();
  return shownToken(token);
};
