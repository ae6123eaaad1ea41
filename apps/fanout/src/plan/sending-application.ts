import type { Application } from '@tidings/audience';
import type { SendingApplication } from '@tidings/delivery';

export const sendingApplicationOf = ({
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
