import Foundation
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: whatever people and the operator do to accounts, in any order, the server answers what a table of
/// accounts would: who may log in with what, and which tokens open the account.
/// Method: random steps beside such a table. To replay one run: `MACROLOG_TEST_SEED=7`.
@Suite(.onBothStores) struct AccountSequenceTests {
    /// What is known of an account; each registration makes another one.
    private struct Model {
        let number: Int
        var password: Int?
        var isDisabled = false
        var code: String?
    }

    /// A token that was given once.
    private struct Given {
        let access: String
        let account: Int
        var isOpen = true
    }

    private struct World {
        let server: TestServer
        let seed: UInt64
        var random: Dice
        var accounts: [String: Model] = [:]
        var given: [Given] = []
        var codes = ["ABCD-EFGH-IJKL-MNOP"]
        var made = 0
        var story: [String] = []

        let passwords = ["four words in a row", "seven other words on a line"]

        mutating func endTokens(of account: Int, but kept: Int? = nil) {
            for index in given.indices where given[index].account == account && index != kept {
                given[index].isOpen = false
            }
        }

        mutating func expect(_ answer: HTTPResponse, _ status: Int, _ what: String) {
            story.append("\(what): \(answer.status)")
            #expect(
                answer.status == status, "\(seed): \(story.suffix(12).joined(separator: "; "))")
        }

        /// What an operator's request gives; `nil` if it was refused.
        mutating func operate(_ verb: String, _ email: String) -> JSON? {
            let result = try? server.administer(verb, ["email": .string(email)])
            story.append("\(verb) \(email): \(result == nil ? "refused" : "done")")
            return result
        }

        mutating func step() {
            let email = ["ana@example.org", "ben@example.org"][random.below(2)]
            let word = random.below(2)
            let known = accounts[email]
            let credentials: JSON = [
                "email": .string(email), "password": .string(passwords[word]), "device": "phone",
            ]
            switch random.below(10) {
            case 0:
                expect(server.post("/v1/auth/register", credentials), 202, "register \(email)")
                if known == nil {
                    made += 1
                    accounts[email] = Model(number: made, password: word)
                }
            case 1, 2:
                let answer = server.post("/v1/auth/login", credentials)
                let isRight = known?.password == word
                let status = !isRight ? 401 : known?.isDisabled == true ? 403 : 200
                expect(answer, status, "login \(email) \(word)")
                if let known, let tokens = try? Tokens(answer) {
                    given.append(Given(access: tokens.access, account: known.number))
                }
            case 3:
                let code = codes[random.below(codes.count)]
                let answer = server.post(
                    "/v1/auth/reset",
                    [
                        "email": .string(email), "password": .string(passwords[word]),
                        "code": .string(code),
                    ])
                let isRight = known?.code == code
                expect(answer, isRight ? 204 : 401, "reset \(email) \(word)")
                if isRight, let known {
                    accounts[email]?.password = word
                    accounts[email]?.code = nil
                    endTokens(of: known.number)
                }
            case 4:
                let made = operate("user add", email)
                #expect((made == nil) == (known != nil), "\(seed)")
                if let code = made?["code"]?.string {
                    codes.append(code)
                    self.made += 1
                    accounts[email] = Model(number: self.made, code: code)
                }
            case 5:
                let isDisabling = random.below(2) == 0
                let done = operate(isDisabling ? "user disable" : "user enable", email)
                #expect((done == nil) == (known == nil), "\(seed)")
                accounts[email]?.isDisabled = isDisabling
                if isDisabling, let known { endTokens(of: known.number) }
            case 6:
                let made = operate("user reset-code", email)
                #expect((made == nil) == (known == nil), "\(seed)")
                if let code = made?["code"]?.string {
                    codes.append(code)
                    accounts[email]?.code = code
                }
            case 7 where random.below(3) == 0:
                let done = operate("user delete", email)
                #expect((done == nil) == (known == nil), "\(seed)")
                if let known { endTokens(of: known.number) }
                accounts[email] = nil
            default:
                useToken(word)
            }
        }

        /// Asks with a token that was given once; for another password, or only so.
        private mutating func useToken(_ word: Int) {
            guard !given.isEmpty else { return }
            let index = random.below(given.count)
            let token = given[index]
            let owner = accounts.first { $0.value.number == token.account }
            let refusal = owner?.value.isDisabled == true ? 403 : 401
            guard random.below(2) == 0 else {
                let answer = server.call("GET", "/v1/devices", token: token.access)
                return expect(answer, token.isOpen ? 200 : refusal, "ask \(index)")
            }
            let answer = server.post(
                "/v1/account/password",
                [
                    "password": .string(passwords[word]),
                    "new_password": .string(passwords[1 - word]),
                ], token: token.access)
            let isRight = owner?.value.password == word
            let status = !token.isOpen ? refusal : isRight ? 204 : 401
            expect(answer, status, "password \(index) \(word)")
            if status == 204, let owner {
                accounts[owner.key]?.password = 1 - word
                endTokens(of: token.account, but: index)
            }
        }
    }

    private static var seeds: [UInt64] {
        let typed = ProcessInfo.processInfo.environment["MACROLOG_TEST_SEED"].flatMap { UInt64($0) }
        return typed.map { [$0] } ?? Array(1...6)
    }

    @Test(arguments: seeds)
    func `accounts are what a table of them would be, after any steps`(seed: UInt64) throws {
        let server = try TestServer { $0.rates = .none }
        var world = World(server: server, seed: seed, random: Dice(seed: seed))
        for _ in 0..<200 { world.step() }
        let listed = try server.administer("user list")["users"]?.array ?? []
        #expect(
            listed.compactMap { $0["email"]?.string } == world.accounts.keys.sorted(), "\(seed)")
        if server.store.isShared { return }
        #expect(try ServerFile.check(server.path).problems == [], "\(seed)")
    }
}
