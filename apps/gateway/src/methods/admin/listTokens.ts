import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { shownToken } from './token.ts';

export const listTokens: Handler<typeof api.listTokens, 'tokens'> = async (_input, context) => {
  const { tokens } = await context.tokens.listTokens({});
  return { tokens: tokens.map(shownToken) };
};
