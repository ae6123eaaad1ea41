export { ApiClient, issueTokens, type MethodName, Refusal, type ReplyOf, type Secrets } from './api-client.ts';
export { retryDelayMs } from './retry-delay.ts';
export { HttpClient, type Reply, type Sent } from './http-client.ts';
