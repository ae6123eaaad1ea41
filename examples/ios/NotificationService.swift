import UserNotifications

/// The extension that iOS runs for a push with `mutable-content`, before it shows the notification.
final class NotificationService: UNNotificationServiceExtension {
    private var show: ((UNNotificationContent) -> Void)?
    private var content = UNMutableNotificationContent()

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        show = contentHandler
        content = request.content.mutableCopy() as! UNMutableNotificationContent
        Task {
            async let report: Void = reportDelivery()
            await attachPicture()
            await report
            finish()
        }
    }

    /// iOS ends the extension about 30 seconds after the push.
    override func serviceExtensionTimeWillExpire() { finish() }

    private func finish() {
        show?(content)
        show = nil
    }

    private func reportDelivery() async {
        guard let hash = content.userInfo["p"] as? String else { return }
        await Tidings.report(.delivered, hash: hash)
    }

    private func attachPicture() async {
        guard let address = content.userInfo["attachment"] as? String, let url = URL(string: address),
            let (file, _) = try? await URLSession.shared.download(from: url)
        else { return }
        let named = file.deletingLastPathComponent().appendingPathComponent(UUID().uuidString + "-" + url.lastPathComponent)
        try? FileManager.default.moveItem(at: file, to: named)
        if let attachment = try? UNNotificationAttachment(identifier: "picture", url: named) {
            content.attachments = [attachment]
        }
    }
}
