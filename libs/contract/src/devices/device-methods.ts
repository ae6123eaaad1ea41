import { applicationOpen } from './applicationOpen.ts';
import { checkDevice } from './checkDevice.ts';
import { getInApps, pageVisit, richMediaAction, triggerInAppAction } from './client-calls.ts';
import { deleteDevice, deleteDeviceBare } from './deleteDevice.ts';
import { getConfig } from './getConfig.ts';
import { getTags } from './getTags.ts';
import { mergeUser } from './mergeUser.ts';
import { messageDeliveryEvent } from './messageDeliveryEvent.ts';
import { multiRegisterDevice } from './multiRegisterDevice.ts';
import { eventApiPostEvent, postEvent } from './postEvent.ts';
import { pushStat } from './pushStat.ts';
import { registerDevice } from './registerDevice.ts';
import { registerSmsNumber, registerWhatsappNumber } from './registerNumber.ts';
import { registerUser } from './registerUser.ts';
import { setActivityPushToStartToken } from './setActivityPushToStartToken.ts';
import { setActivityToken } from './setActivityToken.ts';
import { setBadge } from './setBadge.ts';
import { setPurchase } from './setPurchase.ts';
import { setTags } from './setTags.ts';
import { unregisterDevice } from './unregisterDevice.ts';

export const deviceMethods = {
  registerDevice,
  unregisterDevice,
  setTags,
  getTags,
  applicationOpen,
  pushStat,
  messageDeliveryEvent,
  checkDevice,
  getInApps,
  pageVisit,
  richMediaAction,
  triggerInAppAction,
  deleteDevice,
  deleteDeviceBare,
  getConfig,
  mergeUser,
  eventApiPostEvent,
  postEvent,
  registerUser,
  setActivityPushToStartToken,
  setActivityToken,
  setBadge,
  setPurchase,
  multiRegisterDevice,
  registerSmsNumber,
  registerWhatsappNumber,
} as const;
