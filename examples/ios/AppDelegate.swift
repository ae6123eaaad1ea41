import UIKit
import UserNotifications

@main
final class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        Task {
            try? await Tidings.client.reportAppOpened()
            await Tidings.sendStoredReports()
            await checkPermission()
        }
    }

    /// The user may change the permission in the settings while the app is away.
    @MainActor
    private func checkPermission() async {
        let center = UNUserNotificationCenter.current()
        let isAllowed = (try? await center.requestAuthorization(options: [.alert, .badge, .sound])) ?? false
        if isAllowed {
            UIApplication.shared.registerForRemoteNotifications()
        } else {
            try? await Tidings.client.unregister()
        }
    }

    /// Called at each launch that registers, also with an unchanged token.
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data) {
        Task { try? await Tidings.client.register(pushToken: token) }
    }

    /// A background push has no notification, so the extension does not see it.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification payload: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        guard let hash = payload["p"] as? String else { return .noData }
        await Tidings.report(.delivered, hash: hash)
        return .newData
    }

    /// The user tapped the notification.
    func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async {
        let payload = response.notification.request.content.userInfo
        if let link = payload["l"] as? String, let url = URL(string: link) { await open(url) }
        if let hash = payload["p"] as? String { await Tidings.report(.opened, hash: hash) }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        [.banner, .sound, .badge]
    }

    @MainActor
    private func open(_ url: URL) async { await UIApplication.shared.open(url) }
}
