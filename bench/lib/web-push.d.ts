/** The package has no type declarations. */
declare module 'web-push' {
  interface Details {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: Buffer;
  }

  interface VapidDetails {
    readonly subject: string;
    readonly publicKey: string;
    readonly privateKey: string;
  }

  const webPush: {
    generateVAPIDKeys(): { readonly publicKey: string; readonly privateKey: string };
    generateRequestDetails(
      subscription: {
        readonly endpoint: string;
        readonly keys: { readonly p256dh: string; readonly auth: string };
      },
      payload: string,
      options: {
        readonly vapidDetails: VapidDetails;
        readonly TTL: number;
        readonly urgency: string;
        readonly topic: string;
      },
    ): Details;
  };
  export default webPush;
}
