/** The package has no type declarations. */
declare module 'autocannon' {
  export interface Request {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  }

  export interface Options {
    readonly url: string;
    readonly method: string;
    readonly amount: number;
    readonly connections: number;
    readonly headers: Record<string, string>;
    readonly requests: readonly { setupRequest(request: Request): Request }[];
  }

  export interface Instance extends PromiseLike<unknown> {
    on(event: 'response', listener: (client: unknown, status: number, bytes: number, ms: number) => void): this;
  }

  export default function autocannon(options: Options): Instance;
}
