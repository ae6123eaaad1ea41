import Foundation
import Security

/// Shared by the app and its extensions: both need the keychain group and the app group in their entitlements.
enum Tidings {
    static let client = TidingsClient(
        baseURL: URL(string: "https://push.example.com")!,
        deviceToken: "a device token",
        application: "A1B2C-3D4E5",
        hwid: hwid()
    )

    private static let keychainGroup = "TEAMID.com.example.app"
    private static let stored = UserDefaults(suiteName: "group.com.example.app")!
    private static let prefix = "report "

    enum Report: String { case delivered, opened }

    /// A report that fails stays stored, and is sent at a later launch or push.
    static func report(_ kind: Report, hash: String) async {
        // A key for each report: the app and the extension write at the same time.
        stored.set(true, forKey: "\(prefix)\(kind.rawValue) \(hash)")
        await sendStoredReports()
    }

    static func sendStoredReports() async {
        for key in stored.dictionaryRepresentation().keys where key.hasPrefix(prefix) {
            let parts = key.dropFirst(prefix.count).split(separator: " ", maxSplits: 1).map(String.init)
            guard let kind = Report(rawValue: parts[0]), await send(kind, parts[1]) else { return }
            stored.removeObject(forKey: key)
        }
    }

    /// False if a repeat may succeed. A refused call would be refused again.
    private static func send(_ kind: Report, _ hash: String) async -> Bool {
        // The notification waits for the extension.
        var once = client
        once.tries = 1
        do {
            switch kind {
            case .delivered: try await once.reportDelivered(hash: hash)
            case .opened: try await once.reportOpened(hash: hash)
            }
            return true
        } catch TidingsError.refused {
            return true
        } catch {
            return false
        }
    }

    /// In the keychain of this device only: a backup that is restored on another phone does not copy it.
    private static func hwid() -> String {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "tidings",
            kSecAttrAccount: "hwid",
            kSecAttrAccessGroup: keychainGroup,
        ]
        var found: CFTypeRef?
        let query = item.merging([kSecReturnData: true]) { $1 }
        if SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, let data = found as? Data {
            return String(decoding: data, as: UTF8.self)
        }
        let fresh = UUID().uuidString
        let attributes: [CFString: Any] = [
            kSecValueData: Data(fresh.utf8),
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        SecItemAdd(item.merging(attributes) { $1 } as CFDictionary, nil)
        return fresh
    }
}
