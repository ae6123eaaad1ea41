import { advanceClock } from './admin/advanceClock.ts';
import { blacklistAddress, clearAddress, getBlacklisted } from './admin/blacklist.ts';
import { clearComplaint, getComplaint, recordComplaint } from './admin/complaints.ts';
import { getPresetApproval, setPresetApproval } from './admin/presetApproval.ts';
import { setTracking } from './admin/setTracking.ts';
import { changeSubscription } from './admin/changeSubscription.ts';
import { createAccount } from './admin/createAccount.ts';
import { createGroup } from './admin/createGroup.ts';
import { createSubscription } from './admin/createSubscription.ts';
import { createToken } from './admin/createToken.ts';
import { deleteSubscription } from './admin/deleteSubscription.ts';
import { deleteToken } from './admin/deleteToken.ts';
import { getSubscription } from './admin/getSubscription.ts';
import { getToken } from './admin/getToken.ts';
import { listSubscriptions } from './admin/listSubscriptions.ts';
import { listTokens } from './admin/listTokens.ts';
import { liftThrottle, listProviders } from './admin/providers.ts';
import { setAtMostOnce } from './admin/setAtMostOnce.ts';
import { setCapping } from './admin/setCapping.ts';
import { setCategories } from './admin/setCategories.ts';
import { setControlGroup } from './admin/setControlGroup.ts';
import { setDebug } from './admin/setDebug.ts';
import { setPlan } from './admin/setPlan.ts';
import { setRateLimit } from './admin/setRateLimit.ts';
import { setSenders } from './admin/setSenders.ts';
import { settled } from './admin/settled.ts';
import { configureApplication } from './applications/configureApplication.ts';
import { createApplication } from './applications/createApplication.ts';
import { deleteApplication } from './applications/deleteApplication.ts';
import { getApplication } from './applications/getApplication.ts';
import { createCampaign } from './campaigns/createCampaign.ts';
import { deleteCampaign } from './campaigns/deleteCampaign.ts';
import { getCampaigns } from './campaigns/getCampaigns.ts';
import { getApplicationFile } from './applications/getApplicationFile.ts';
import { getApplications } from './applications/getApplications.ts';
import { setApplicationPlatformStatus } from './applications/setApplicationPlatformStatus.ts';
import { updateApplication } from './applications/updateApplication.ts';
import { bulkRegisterDevice, getBulkRegisterDevice } from './audience/bulkRegisterDevice.ts';
import { bulkSetTags, getBulkSetTags } from './audience/bulkSetTags.ts';
import { bulkUnregisterDevice, getBulkUnregisterDevice } from './audience/bulkUnregisterDevice.ts';
import { exportSegment, getExportSegment } from './audience/exportSegment.ts';
import { applicationOpen } from './devices/applicationOpen.ts';
import { checkDevice } from './devices/checkDevice.ts';
import { getInApps, pageVisit, richMediaAction, triggerInAppAction } from './devices/client-calls.ts';
import { deleteDevice, deleteDeviceBare } from './devices/deleteDevice.ts';
import { getConfig } from './devices/getConfig.ts';
import { getTags } from './devices/getTags.ts';
import { mergeUser } from './devices/mergeUser.ts';
import { messageDeliveryEvent } from './devices/messageDeliveryEvent.ts';
import { eventApiPostEvent, postEvent } from './devices/postEvent.ts';
import { pushStat } from './devices/pushStat.ts';
import { registerDevice } from './devices/registerDevice.ts';
import { registerUser } from './devices/registerUser.ts';
import { setActivityPushToStartToken } from './devices/setActivityPushToStartToken.ts';
import { setActivityToken } from './devices/setActivityToken.ts';
import { setBadge } from './devices/setBadge.ts';
import { setPurchase } from './devices/setPurchase.ts';
import { setTags } from './devices/setTags.ts';
import { unregisterDevice } from './devices/unregisterDevice.ts';
import { addGeoZone } from './geozones/addGeoZone.ts';
import { addGeoZoneCluster } from './geozones/addGeoZoneCluster.ts';
import { deleteGeoZone } from './geozones/deleteGeoZone.ts';
import { deleteGeoZoneCluster } from './geozones/deleteGeoZoneCluster.ts';
import { getNearestZone } from './geozones/getNearestZone.ts';
import { listGeoZoneClusters } from './geozones/listGeoZoneClusters.ts';
import { listGeoZones } from './geozones/listGeoZones.ts';
import { updateGeoZone } from './geozones/updateGeoZone.ts';
import { multiRegisterDevice } from './devices/multiRegisterDevice.ts';
import { registerSmsNumber, registerWhatsappNumber } from './devices/registerNumber.ts';
import { deleteEmail } from './emails/deleteEmail.ts';
import { registerEmail } from './emails/registerEmail.ts';
import { registerEmailUser } from './emails/registerEmailUser.ts';
import { setEmailTags } from './emails/setEmailTags.ts';
import { createMessage } from './messages/createMessage.ts';
import { createPreset } from './presets/createPreset.ts';
import { deletePreset } from './presets/deletePreset.ts';
import { getPreset } from './presets/getPreset.ts';
import { listPresets } from './presets/listPresets.ts';
import { compileFilter } from './segments/compileFilter.ts';
import { createFilter } from './segments/createFilter.ts';
import { deleteFilter } from './segments/deleteFilter.ts';
import { listFilters } from './segments/listFilters.ts';
import { getDeliveryFunnel } from './statistics/getDeliveryFunnel.ts';
import { messagesList } from './statistics/messagesList.ts';
import { addTag } from './tags/addTag.ts';
import { deleteTag } from './tags/deleteTag.ts';
import { listTags } from './tags/listTags.ts';
import { createTestDevice } from './test-devices/createTestDevice.ts';
import { listTestDevices } from './test-devices/listTestDevices.ts';

/** Every API method that is served. Each has a handler in the gateway; any other name is an unknown method (R-ER5). */
export const api = {
  createApplication,
  updateApplication,
  deleteApplication,
  getApplication,
  getApplications,
  getApplicationFile,
  configureApplication,
  setApplicationPlatformStatus,
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
  registerEmail,
  registerEmailUser,
  deleteEmail,
  setEmailTags,
  addTag,
  deleteTag,
  listTags,
  createTestDevice,
  listTestDevices,
  createFilter,
  listFilters,
  deleteFilter,
  compileFilter,
  bulkSetTags,
  getBulkSetTags,
  bulkRegisterDevice,
  getBulkRegisterDevice,
  bulkUnregisterDevice,
  getBulkUnregisterDevice,
  exportSegment,
  getExportSegment,
  createMessage,
  addGeoZone,
  updateGeoZone,
  deleteGeoZone,
  addGeoZoneCluster,
  deleteGeoZoneCluster,
  listGeoZones,
  listGeoZoneClusters,
  getNearestZone,
  createPreset,
  getPreset,
  listPresets,
  deletePreset,
  createCampaign,
  getCampaigns,
  deleteCampaign,
  messagesList,
  getDeliveryFunnel,
  createToken,
  listTokens,
  getToken,
  deleteToken,
  listProviders,
  liftThrottle,
  createAccount,
  setDebug,
  createGroup,
  setControlGroup,
  setAtMostOnce,
  setCapping,
  setTracking,
  setPresetApproval,
  getPresetApproval,
  getComplaint,
  recordComplaint,
  clearComplaint,
  getBlacklisted,
  blacklistAddress,
  clearAddress,
  setCategories,
  setPlan,
  setSenders,
  setRateLimit,
  createSubscription,
  listSubscriptions,
  getSubscription,
  changeSubscription,
  deleteSubscription,
  advanceClock,
  settled,
} as const;
