import { secretOf } from '@tidings/contract';
import type { Clock } from '@tidings/kernel';
import { type Applications, type Tokens, TokenScope, type TokenView } from '@tidings/rpc';
import type { SubscriptionStore } from '../subscriptions/subscription-store.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { NO_ENDPOINT } from '../subscriptions/endpoint.ts';
import { refusals } from './refusals.ts';

export interface Credentials {
  readonly authorization: string | undefined;
  readonly subscription: string | undefined;
}

export interface Admitted {
  readonly subscription: Subscription;
  readonly token: string;
}

export interface AdmissionDeps {
  readonly tokens: Pick<Tokens, 'resolveToken'>;
  readonly applications: Pick<Applications, 'findApplication'>;
  readonly subscriptions: Pick<SubscriptionStore, 'find'>;
  readonly clock: Clock;
}

const MAX_LENGTH = 512;

const isText = (text: string | undefined): text is string =>
  text !== undefined && text !== '' && text.length <= MAX_LENGTH;

/** A token for some applications needs a subscription to named ones, and all of them (R-EV7). */
export function admission({ tokens, applications, subscriptions, clock }: AdmissionDeps) {
  const tokenOf = async (authorization: string | undefined): Promise<TokenView> => {
    const secret = secretOf(authorization);
    if (!isText(secret)) throw refusals.noToken();
    const { token } = await tokens.resolveToken({ secret });
    if (!token || (token.expiresAt && token.expiresAt.getTime() <= clock.now())) throw refusals.wrongToken();
    if (token.scope === TokenScope.TOKEN_SCOPE_DEVICE) throw refusals.deviceToken();
    return token;
  };

  const isGranted = async (token: TokenView, application: string): Promise<boolean> =>
    token.applications.includes(application) ||
    (await applications.findApplication({ application })).application?.authorizeAllTokens === true;

  const isCovered = async (token: TokenView, codes: readonly string[]): Promise<boolean> => {
    if (token.allApplications) return true;
    const granted = await Promise.all(codes.map((code) => isGranted(token, code)));
    return granted.length > 0 && granted.every(Boolean);
  };

  return async ({ authorization, subscription: id }: Credentials): Promise<Admitted> => {
    const token = await tokenOf(authorization);
    if (!isText(id)) throw refusals.noSubscription();
    const subscription = await subscriptions.find(id);
    if (subscription?.account !== token.account) throw refusals.unknown();
    const { applications, endpoint, enabled } = subscription.settings;
    if (!(await isCovered(token, applications))) throw refusals.uncovered();
    if (endpoint !== NO_ENDPOINT) throw refusals.hasEndpoint();
    if (!enabled) throw refusals.disabled();
    return { subscription, token: token.id };
  };
}
