"""Words that tell of a secret, in the languages that people write to each other in.

These are tables to read and to add to; ``beside.py`` says what follows from them. A stem matches with any ending of up
to six letters and behind any beginning ("Rootpasswort", "hasłem"), unless it is listed as a whole word. Lower case; a
"_" is a blank.
"""

# ruff: noqa: RUF001 - signs of other languages that look like ours

PASSWORDS = (
    # English and what all take from it
    "password passwort passwd passphrase passcode pass_phrase"
    # Germanic
    " kennwort kenntwort losungswort wachtwoord wagwoord lösenord passord adgangskode kodeord lykilorð"
    # Romance
    " mot_de_passe mots_de_passe mdp phrase_secrète phrase_de_passe contraseña contrasena contrasenya"
    " senha palavra-passe palavra_passe parol clave_de_acceso parola_d'ordine parola_d’ordine parola_chiave"
    # Slavic and Baltic
    " hasło hasła hasłem haslo heslo hesla heslem lozink geslo slaptažod парол гасло гасла лозинк"
    # Uralic, Turkic, and others of Europe and Africa
    " jelszó jelszo jelszav salasan parool salasõn şifre pasahitz fjalëkalim"
    " κωδικ συνθηματικ գաղտնաբառ პაროლ"
    # Semitic, Iranian, Indian
    " סיסמ כלמת كلمة_المرور كلمة_مرور كلمة_السر كلمة_سر الرقم_السري باسورد رمز_عبور گذرواژه پاس_ورڈ"
    " पासवर्ड पासवर्ड পাসওয়ার্ড கடவுச்சொல் సంకేతపదం"
    # East and south-east Asia
    " mật_khẩu mat_khau kata_sandi kata_laluan รหัสผ่าน รหัส 密码 密碼 口令 暗号 パスワード パスフレーズ 合言葉"
    " 비밀번호 비번 암호 패스워드"
)
"""Words for a password."""

KEYS = (
    " schlüssel sleutel nyckel nøgle nøkkel clé_wi clé_wifi clé_d'api clé_api clé_wpa clé_de chiave clave chave"
    " klucz klíč kľúč ključ ключ kulcs anahtar cheie κλειδί מפתח مفتاح کلید कुंजी กุญแจ khóa khoá kunci"
    " 密钥 密鑰 秘钥 令牌 鍵 トークン シークレット キー 키는 키: 토큰 시크릿 токен секрет"
    " wifi_key wi-fi_key wlan_key wpa_key network_key wireless_key pre-shared_key preshared_key shared_key"
    " setup_key manual_entry_key entry_key enter_this_key this_secret_key totp_secret totp_key otp_secret otp_key"
    " 2fa_key 2fa_secret mfa_secret"
    " clé_secrète cle_secrete clé_totp clé_2fa clau_secreta"
    " shared_secret license_key recovery_key product_key community_string"
)
"""Words for a key or a token that other people call a password as well."""

CODES = (
    # whose code: these, beside a word for "code"
    "access door gate alarm keypad security verification authentication confirmation activation recovery backup"
    " unlock login one-time guard pairing 2fa mfa otp sms device cabinet vault"
    " zugang zutritt tür tuer alarm sicherheit bestätig freischalt wiederherstell einmal schließ tresor"
    " d'accès d'entrée porte portail vérification sécurité confirmation récupération alarme digicode secours coffre"
    " acceso puerta portal verificación verificacion seguridad recuperación confirmación alarma entrada"
    " acesso porta portão verificação verificacao segurança recuperação confirmação alarme"
    " accesso ingresso cancello verifica sicurezza recupero conferma allarme"
    " toegang deur poort verificatie beveiliging herstel dostęp drzwi weryfikac bram alarmow odzyskiw"
    " přístup dveř ověř доступ двер подтвержд домофон сигнализ восстанов підтвердж"
    " dörr larm åtkomst tilgang dør låse ovi hälytys vahvistus belépés kapu riaszt giriş kapı doğrul onay"
    " ușă verificare εισόδου επαλήθευσης"
)
CODE_WORDS = (
    "code codes codice codici código codigo códigos codi kod kody kód kódy kode koder koodi "
    "kodu koden код коды кода cod"
)

NUMBERS = (
    " pin puk пин pin-kod pinkod pin-kode pinkode pin-koodi пин-код пинкод pin-код pin码 pin碼 pinコード 핀번호 pin번호"
    " ihre_tan die_tan pin-code pin_code pincode otp_code pinem pinu pinom pinen pinin"
    " pinie pinet pinkoden pincoden пином пина 验证码 驗證碼 認証コード 確認コード "
    "暗証番号 인증번호 リカバリーコード 復旧コード 復元コード バックアップコード 恢复代码 恢复码 恢復碼 备用码 備用碼 "
    "복구_코드 백업_코드 "
    "인증_코드 확인_코드"
    " رمز_التحقق رمز_الدخول קוד_אימות mã_xác mã_otp ovikood larmkod dørkode portkod türcode zugangscode"
    " alarmcode sicherheitscode bestätigungscode zutrittscode torcode toegangscode verificatiecode deurcode"
    " verifieringskod engångskod engangskode vahvistuskood hälytyskood ovikood hozzáférési_kód kapukód"
)
"""Words for a secret that is a number, by themselves; pin and puk as whole words."""

WHOLE = frozenset(
    [
        "pin",
        "puk",
        "pinem",
        "pinu",
        "pinom",
        "pinen",
        "pinin",
        "pinie",
        "pinet",
        "пином",
        "пина",
        "пин",
        "mdp",
        "clé_de",
        "khóa",
        "khoá",
        "clave",
        "chave",
    ]
)
"""Whole words: with other letters around them they mean something else."""

BEGIN = frozenset(["parol", "haslo", "senha", "heslo", "geslo", "chiave", "ключ", "סיסמ"])
"""Stems that begin a word."""

_LINKS = (
    # is, was, will be, to
    "is was are be as to = : -> → » — – - / ist war lautet lautete heißt heisst wäre als auf est était sera devient"
    " c'est c’est es era será queda quedó fica ficou é era è sarà diventa luidt wordt naar jest to brzmi na je byl bude"
    " är blev till er ble blir til on oli van lett lesz legyen oldu olarak yapıldı là este e sunt είναι έγινε это есть"
    " будет стал стало на це є е הוא היא هي هو है adalah ialah คือ 是 为 為 は が を"
    # now, new
    " now jetzt nun neu neue maintenant désormais ahora ora adesso agora nu nyt teraz teď acum şimdi τώρα теперь тепер"
    # changed to, set to
    " para por passé changé zu naar til till på na на до olarak へ に"
    " сейчас ny uusi új nuevo nueva nova nouveau"
)
LINKS = frozenset(_LINKS.split())
"""What stands right before a secret."""

PHRASES = (
    "passphrase pass_phrase phrase_secrète phrase_de_passe парольная_фраз"
    " seed_phrase recovery_phrase wiederherstellungsphrase passwortsatz パスフレーズ"
)
"""Words for a password of several words."""

APP_PASSWORDS = (
    "app_password application_password app-specific app_passwort app-passwort mot_de_passe_d'application"
    " contraseña_de_aplicación senha_de_app password_per_le_app wachtwoord_voor_apps hasło_do_aplikacji"
)
"""Passwords that a mail service makes up: four times four letters."""
