import Foundation

enum TidingsError: Error {
    /// The request is wrong: a repeat gets the same answer.
    case refused(status: Int, message: String)
    /// There was no answer, or the server was busy, at each try: repeat the call later.
    case unavailable(method: String)
}

/// The methods that an app and its extensions call.
struct TidingsClient {
    let baseURL: URL
    let deviceToken: String
    let application: String
    let hwid: String
    var tries = 3

    /// Without `pushToken` the stored one is kept, as with every field that is nil.
    func register(pushToken: Data?, userId: String? = nil) async throws {
        var fields = system()
        fields["push_token"] = pushToken.map(hex)
        fields["userId"] = userId
        try await call("registerDevice", fields)
    }

    /// Removes the push token: the device gets no push until it is registered with a token.
    func unregister() async throws { try await call("unregisterDevice") }

    func delete() async throws { try await call("deleteDevice") }

    func reportAppOpened() async throws { try await call("applicationOpen", system()) }

    func signIn(userId: String) async throws {
        try await call("registerUser", ["userId": userId, "device_type": Self.iOS])
    }

    /// A device without a user has its hwid as user ID.
    func signOut() async throws { try await signIn(userId: hwid) }

    /// `NSNull()` removes a value; `["operation": "increment", "value": 1]` adds to a number.
    func setTags(_ tags: [String: Any]) async throws {
        try await call("setTags", ["device_type": Self.iOS, "tags": tags])
    }

    func getTags() async throws -> [String: Any] {
        let response = try await call("getTags") as? [String: Any]
        return response?["result"] as? [String: Any] ?? [:]
    }

    func setBadge(_ badge: Int) async throws { try await call("setBadge", ["badge": badge]) }

    func reportDelivered(hash: String) async throws { try await call("messageDeliveryEvent", ["hash": hash]) }

    func reportOpened(hash: String) async throws { try await call("pushStat", ["hash": hash]) }

    func postEvent(_ event: String, attributes: [String: Any] = [:]) async throws {
        try await call("postEvent", ["event": event, "attributes": attributes, "timestampUTC": now()])
    }

    /// `messages`, `next` and `new_inbox`; pass `next` as `after` until `messages` is empty.
    func getInbox(userId: String? = nil, after: String = "", count: Int = 20) async throws -> [String: Any] {
        let fields: [String: Any] = ["userId": userId ?? hwid, "last_code": after, "count": count]
        return try await call("getInboxMessages", fields) as? [String: Any] ?? [:]
    }

    /// 1 delivered, 2 read, 3 opened, 4 deleted; `order` is that of the entry.
    func setInboxStatus(order: String, status: Int, userId: String? = nil) async throws {
        let fields: [String: Any] = ["inbox_code": order, "userId": userId ?? hwid, "status": status, "time": now()]
        try await call("inboxStatus", fields)
    }

    func setPushToStartToken(_ token: Data) async throws {
        try await call("setActivityPushToStartToken", ["activity_push_to_start_token": hex(token)])
    }

    func setActivityToken(_ token: Data, activity: String) async throws {
        try await call("setActivityToken", ["activity_id": activity, "activity_push_token": hex(token)])
    }

    private func system() -> [String: Any] {
        var fields: [String: Any] = ["device_type": Self.iOS, "timezone": TimeZone.current.secondsFromGMT()]
        fields["language"] = Locale.preferredLanguages.first
        fields["app_version"] = Bundle.main.infoDictionary?["CFBundleShortVersionString"]
        return fields
    }

    private func now() -> Int { Int(Date().timeIntervalSince1970) }

    private func hex(_ token: Data) -> String { token.map { String(format: "%02x", $0) }.joined() }

    @discardableResult
    private func call(_ method: String, _ fields: [String: Any] = [:]) async throws -> Any? {
        let known: [String: Any] = ["application": application, "hwid": hwid]
        var request = URLRequest(url: baseURL.appendingPathComponent("json/1.3/\(method)"), timeoutInterval: 10)
        request.httpMethod = "POST"
        request.httpBody = try JSONSerialization.data(withJSONObject: ["request": fields.merging(known) { $1 }])
        request.setValue("Token \(deviceToken)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        // A repeat with the same key has no second effect.
        request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
        var wait = 1.0
        for attempt in 1...tries {
            let reply = try? await URLSession.shared.data(for: request)
            let http = reply?.1 as? HTTPURLResponse
            if let reply, let http, !Self.repeatable.contains(http.statusCode) {
                return try result(of: reply.0, status: http.statusCode)
            }
            try Task.checkCancellation()
            if attempt < tries {
                let retryAfter = http?.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init)
                try await Task.sleep(nanoseconds: UInt64(min(retryAfter ?? wait, 60) * 1_000_000_000))
            }
            wait *= 2
        }
        throw TidingsError.unavailable(method: method)
    }

    private func result(of body: Data, status: Int) throws -> Any? {
        let reply = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
        let code = reply?["status_code"] as? Int ?? status
        guard let reply, code == 200 else {
            throw TidingsError.refused(status: code, message: reply?["status_message"] as? String ?? "HTTP \(status)")
        }
        return reply["response"]
    }

    private static let iOS = 1
    private static let repeatable: Set<Int> = [408, 429, 500, 502, 503, 504]
}
