import type { Application } from '@tidings/audience';
import { sharedReads } from '@tidings/coordination';
import { type SendingApplication, withDeployment } from '@tidings/delivery';
import { isTransient } from '@tidings/mongo';
import type { Configuration } from '@tidings/registry-store';

const sendingApplicationOf = ({
  title,
  platforms,
  controlBuckets = 0,
  capping,
  atMostOnce = false,
}: Application): SendingApplication => ({
  title,
  platforms: platforms.map(({ platform, enabled, credentialVersion }) => ({
    platform,
    enabled,
    configured: credentialVersion > 0,
    credentialVersion,
  })),
  controlGroupPercentage: controlBuckets / 100,
  capping,
  atMostOnce,
});

export function openSendingApplications(configuration: Configuration, deploymentPlatforms: readonly number[] = []) {
  const read = sharedReads(
    async (codes) => {
      const found = await configuration.applications(codes);
      return new Map(found.map((each) => [each.code, withDeployment(sendingApplicationOf(each), deploymentPlatforms)]));
    },
    { mayBeOneItem: (error) => !isTransient(error) },
  );
  return async (code: string): Promise<SendingApplication | undefined> => (await read([code])).get(code);
}
