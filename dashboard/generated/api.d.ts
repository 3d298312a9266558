export interface paths {
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            user: {
                                id: string;
                                email: string;
                                name: string;
                                is_operator: boolean;
                                operator_role: ("read_only" | "billing" | "operator") | null;
                                has_totp: boolean;
                            };
                            must_change_password: boolean;
                            must_set_up_totp: boolean;
                            accounts: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                role: "viewer" | "member" | "owner";
                                suspended: boolean;
                            }[];
                            csrf_token: string | null;
                            public_url: string;
                            version: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        password: string;
                        totp?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            user: {
                                id: string;
                                email: string;
                                name: string;
                                is_operator: boolean;
                                operator_role: ("read_only" | "billing" | "operator") | null;
                                has_totp: boolean;
                            };
                            must_change_password: boolean;
                            must_set_up_totp: boolean;
                            accounts: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                role: "viewer" | "member" | "owner";
                                suspended: boolean;
                            }[];
                            csrf_token: string | null;
                            public_url: string;
                            version: string;
                        };
                    };
                };
            };
        };
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        current_password: string;
                        new_password: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            self_registration: boolean;
                            sso_required: boolean;
                            oidc: {
                                id: string;
                                name: string;
                            }[];
                            password_reset: boolean;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/registration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        password: string;
                        name?: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            user: {
                                id: string;
                                email: string;
                                name: string;
                                is_operator: boolean;
                                operator_role: ("read_only" | "billing" | "operator") | null;
                                has_totp: boolean;
                            };
                            must_change_password: boolean;
                            must_set_up_totp: boolean;
                            accounts: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                role: "viewer" | "member" | "owner";
                                suspended: boolean;
                            }[];
                            csrf_token: string | null;
                            public_url: string;
                            version: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        provider: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            url: string;
                            flow: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        flow: string;
                        response: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            user: {
                                id: string;
                                email: string;
                                name: string;
                                is_operator: boolean;
                                operator_role: ("read_only" | "billing" | "operator") | null;
                                has_totp: boolean;
                            };
                            must_change_password: boolean;
                            must_set_up_totp: boolean;
                            accounts: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                role: "viewer" | "member" | "owner";
                                suspended: boolean;
                            }[];
                            csrf_token: string | null;
                            public_url: string;
                            version: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/password-resets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        /** @enum {string} */
                        language?: "en" | "zh";
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/password-resets/view": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            email: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/password-resets/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                        new_password: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                name: string;
                                hint: string;
                                scopes: ("read" | "billing" | "keys" | "all")[];
                                account: {
                                    id: string;
                                    name: string;
                                } | null;
                                allowed_addresses: string[] | null;
                                /** Format: date-time */
                                created_at: string;
                                expires_at: string | null;
                                last_used_at: string | null;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        scopes?: ("read" | "billing" | "keys" | "all")[];
                        /** @default null */
                        account?: string | null;
                        /** @default null */
                        allowed_addresses?: string[] | null;
                        /** @default null */
                        expires_at?: string | null;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            hint: string;
                            scopes: ("read" | "billing" | "keys" | "all")[];
                            account: {
                                id: string;
                                name: string;
                            } | null;
                            allowed_addresses: string[] | null;
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            last_used_at: string | null;
                            token: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/me/language": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        language: "en" | "zh";
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {string} */
                            language: "en" | "zh";
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                current: boolean;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                last_seen_at: string;
                                /** Format: date-time */
                                expires_at: string;
                                address: string;
                                user_agent: string;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            ended: number;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        password: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            secret: string;
                            uri: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            recovery_codes: string[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/totp/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        password: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    search?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                user_id: string;
                                email: string;
                                name: string;
                                /** @enum {string} */
                                role: "viewer" | "member" | "owner";
                                disabled: boolean;
                                has_totp: boolean;
                                /** Format: date-time */
                                since: string;
                                last_sign_in_at: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    user: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    user: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        role: "viewer" | "member" | "owner";
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            user_id: string;
                            email: string;
                            name: string;
                            /** @enum {string} */
                            role: "viewer" | "member" | "owner";
                            disabled: boolean;
                            has_totp: boolean;
                            /** Format: date-time */
                            since: string;
                            last_sign_in_at: string | null;
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/accounts/{account}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                email: string;
                                account: {
                                    id: string;
                                    name: string;
                                } | null;
                                role: ("viewer" | "member" | "owner") | null;
                                operator_role: ("read_only" | "billing" | "operator") | null;
                                invited_by: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                expires_at: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        /** @enum {string} */
                        role: "viewer" | "member" | "owner";
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            email: string;
                            account: {
                                id: string;
                                name: string;
                            } | null;
                            role: ("viewer" | "member" | "owner") | null;
                            operator_role: ("read_only" | "billing" | "operator") | null;
                            invited_by: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                            link: string;
                            mailed: boolean;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/invitations/{invitation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    invitation: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                email: string;
                                account: {
                                    id: string;
                                    name: string;
                                } | null;
                                role: ("viewer" | "member" | "owner") | null;
                                operator_role: ("read_only" | "billing" | "operator") | null;
                                invited_by: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                expires_at: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        /** @default null */
                        account?: {
                            id: string;
                            /** @enum {string} */
                            role: "viewer" | "member" | "owner";
                        } | null;
                        /** @default null */
                        operator_role?: ("read_only" | "billing" | "operator") | null;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            email: string;
                            account: {
                                id: string;
                                name: string;
                            } | null;
                            role: ("viewer" | "member" | "owner") | null;
                            operator_role: ("read_only" | "billing" | "operator") | null;
                            invited_by: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                            link: string;
                            mailed: boolean;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/invitations/{invitation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    invitation: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/view": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            email: string;
                            account: string | null;
                            role: ("viewer" | "member" | "owner") | null;
                            operator_role: ("read_only" | "billing" | "operator") | null;
                            /** Format: date-time */
                            expires_at: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                        password?: string;
                        name?: string;
                        totp?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            user: {
                                id: string;
                                email: string;
                                name: string;
                                is_operator: boolean;
                                operator_role: ("read_only" | "billing" | "operator") | null;
                                has_totp: boolean;
                            };
                            must_change_password: boolean;
                            must_set_up_totp: boolean;
                            accounts: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                role: "viewer" | "member" | "owner";
                                suspended: boolean;
                            }[];
                            csrf_token: string | null;
                            public_url: string;
                            version: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    q?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                email: string;
                                name: string;
                                operator_role: ("read_only" | "billing" | "operator") | null;
                                disabled: boolean;
                                has_totp: boolean;
                                has_password: boolean;
                                accounts: {
                                    id: string;
                                    name: string;
                                    /** @enum {string} */
                                    role: "viewer" | "member" | "owner";
                                }[];
                                /** Format: date-time */
                                created_at: string;
                                last_sign_in_at: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    user: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        disabled?: boolean;
                        operator_role?: ("read_only" | "billing" | "operator") | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            email: string;
                            name: string;
                            operator_role: ("read_only" | "billing" | "operator") | null;
                            disabled: boolean;
                            has_totp: boolean;
                            has_password: boolean;
                            accounts: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                role: "viewer" | "member" | "owner";
                            }[];
                            /** Format: date-time */
                            created_at: string;
                            last_sign_in_at: string | null;
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/operator/users/{user}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    user: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            password: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user}/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    user: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user}/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    user: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                provider: {
                                    id: string;
                                    name: string;
                                } | null;
                                issuer: string;
                                subject: string;
                                /** Format: date-time */
                                created_at: string;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    user: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        provider: string;
                        subject: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            provider: {
                                id: string;
                                name: string;
                            } | null;
                            issuer: string;
                            subject: string;
                            /** Format: date-time */
                            created_at: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user}/identities/{identity}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    user: string;
                    identity: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            done: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    actor?: string;
                    action?: string;
                    from?: string;
                    until?: string;
                    account?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                /** Format: date-time */
                                at: string;
                                actor: string | null;
                                by_token: boolean;
                                action: string;
                                subject: string;
                                account: {
                                    id: string;
                                    name: string;
                                } | null;
                                before: unknown;
                                after: unknown;
                                request_id: string;
                                address: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/audit.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    actor?: string;
                    action?: string;
                    from?: string;
                    until?: string;
                    account?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    actor?: string;
                    action?: string;
                    from?: string;
                    until?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                /** Format: date-time */
                                at: string;
                                actor: string | null;
                                by_token: boolean;
                                action: string;
                                subject: string;
                                account: {
                                    id: string;
                                    name: string;
                                } | null;
                                before: unknown;
                                after: unknown;
                                request_id: string;
                                address: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/audit.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    actor?: string;
                    action?: string;
                    from?: string;
                    until?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    state?: "current" | "revoked";
                    search?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                name: string;
                                hint: string;
                                /** @enum {string} */
                                state: "active" | "disabled" | "expired" | "revoked";
                                disabled: boolean;
                                expires_at: string | null;
                                revoked_at: string | null;
                                models: string[] | null;
                                spending_limit: {
                                    amount_nanos: string;
                                    /** @enum {string} */
                                    period: "day" | "week" | "month" | "total";
                                    spent_nanos: string;
                                } | null;
                                rate_limits: {
                                    requests_per_minute: number | null;
                                    tokens_per_minute: number | null;
                                    concurrency: number | null;
                                };
                                allowed_addresses: string[] | null;
                                /** Format: date-time */
                                created_at: string;
                                created_by: {
                                    id: string;
                                    name: string;
                                } | null;
                                may_change: boolean;
                                last_used_at: string | null;
                                spent_month_nanos: string;
                                spent_total_nanos: string;
                                old_secret_until: string | null;
                                revision: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        disabled?: boolean;
                        expires_at?: string | null;
                        models?: string[] | null;
                        spending_limit?: {
                            amount_nanos: string;
                            /** @enum {string} */
                            period: "day" | "week" | "month" | "total";
                        } | null;
                        rate_limits?: {
                            /** @default null */
                            requests_per_minute?: number | null;
                            /** @default null */
                            tokens_per_minute?: number | null;
                            /** @default null */
                            concurrency?: number | null;
                        };
                        allowed_addresses?: string[] | null;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            key: {
                                id: string;
                                name: string;
                                hint: string;
                                /** @enum {string} */
                                state: "active" | "disabled" | "expired" | "revoked";
                                disabled: boolean;
                                expires_at: string | null;
                                revoked_at: string | null;
                                models: string[] | null;
                                spending_limit: {
                                    amount_nanos: string;
                                    /** @enum {string} */
                                    period: "day" | "week" | "month" | "total";
                                    spent_nanos: string;
                                } | null;
                                rate_limits: {
                                    requests_per_minute: number | null;
                                    tokens_per_minute: number | null;
                                    concurrency: number | null;
                                };
                                allowed_addresses: string[] | null;
                                /** Format: date-time */
                                created_at: string;
                                created_by: {
                                    id: string;
                                    name: string;
                                } | null;
                                may_change: boolean;
                                last_used_at: string | null;
                                spent_month_nanos: string;
                                spent_total_nanos: string;
                                old_secret_until: string | null;
                                revision: string;
                            };
                            secret: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    key: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            hint: string;
                            /** @enum {string} */
                            state: "active" | "disabled" | "expired" | "revoked";
                            disabled: boolean;
                            expires_at: string | null;
                            revoked_at: string | null;
                            models: string[] | null;
                            spending_limit: {
                                amount_nanos: string;
                                /** @enum {string} */
                                period: "day" | "week" | "month" | "total";
                                spent_nanos: string;
                            } | null;
                            rate_limits: {
                                requests_per_minute: number | null;
                                tokens_per_minute: number | null;
                                concurrency: number | null;
                            };
                            allowed_addresses: string[] | null;
                            /** Format: date-time */
                            created_at: string;
                            created_by: {
                                id: string;
                                name: string;
                            } | null;
                            may_change: boolean;
                            last_used_at: string | null;
                            spent_month_nanos: string;
                            spent_total_nanos: string;
                            old_secret_until: string | null;
                            revision: string;
                            requests_last_hour: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    account: string;
                    key: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            hint: string;
                            /** @enum {string} */
                            state: "active" | "disabled" | "expired" | "revoked";
                            disabled: boolean;
                            expires_at: string | null;
                            revoked_at: string | null;
                            models: string[] | null;
                            spending_limit: {
                                amount_nanos: string;
                                /** @enum {string} */
                                period: "day" | "week" | "month" | "total";
                                spent_nanos: string;
                            } | null;
                            rate_limits: {
                                requests_per_minute: number | null;
                                tokens_per_minute: number | null;
                                concurrency: number | null;
                            };
                            allowed_addresses: string[] | null;
                            /** Format: date-time */
                            created_at: string;
                            created_by: {
                                id: string;
                                name: string;
                            } | null;
                            may_change: boolean;
                            last_used_at: string | null;
                            spent_month_nanos: string;
                            spent_total_nanos: string;
                            old_secret_until: string | null;
                            revision: string;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    account: string;
                    key: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        disabled?: boolean;
                        expires_at?: string | null;
                        models?: string[] | null;
                        spending_limit?: {
                            amount_nanos: string;
                            /** @enum {string} */
                            period: "day" | "week" | "month" | "total";
                        } | null;
                        rate_limits?: {
                            /** @default null */
                            requests_per_minute?: number | null;
                            /** @default null */
                            tokens_per_minute?: number | null;
                            /** @default null */
                            concurrency?: number | null;
                        };
                        allowed_addresses?: string[] | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            hint: string;
                            /** @enum {string} */
                            state: "active" | "disabled" | "expired" | "revoked";
                            disabled: boolean;
                            expires_at: string | null;
                            revoked_at: string | null;
                            models: string[] | null;
                            spending_limit: {
                                amount_nanos: string;
                                /** @enum {string} */
                                period: "day" | "week" | "month" | "total";
                                spent_nanos: string;
                            } | null;
                            rate_limits: {
                                requests_per_minute: number | null;
                                tokens_per_minute: number | null;
                                concurrency: number | null;
                            };
                            allowed_addresses: string[] | null;
                            /** Format: date-time */
                            created_at: string;
                            created_by: {
                                id: string;
                                name: string;
                            } | null;
                            may_change: boolean;
                            last_used_at: string | null;
                            spent_month_nanos: string;
                            spent_total_nanos: string;
                            old_secret_until: string | null;
                            revision: string;
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/accounts/{account}/keys/{key}/rotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    key: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @default 0 */
                        grace_minutes?: number;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            key: {
                                id: string;
                                name: string;
                                hint: string;
                                /** @enum {string} */
                                state: "active" | "disabled" | "expired" | "revoked";
                                disabled: boolean;
                                expires_at: string | null;
                                revoked_at: string | null;
                                models: string[] | null;
                                spending_limit: {
                                    amount_nanos: string;
                                    /** @enum {string} */
                                    period: "day" | "week" | "month" | "total";
                                    spent_nanos: string;
                                } | null;
                                rate_limits: {
                                    requests_per_minute: number | null;
                                    tokens_per_minute: number | null;
                                    concurrency: number | null;
                                };
                                allowed_addresses: string[] | null;
                                /** Format: date-time */
                                created_at: string;
                                created_by: {
                                    id: string;
                                    name: string;
                                } | null;
                                may_change: boolean;
                                last_used_at: string | null;
                                spent_month_nanos: string;
                                spent_total_nanos: string;
                                old_secret_until: string | null;
                                revision: string;
                            };
                            secret: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/playground-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            secret: string;
                            /** Format: date-time */
                            expires_at: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            group: string;
                            factor: string;
                            data: {
                                id: string;
                                alias_of: string | null;
                                /** @enum {string} */
                                modality: "text" | "embedding" | "rerank" | "image" | "video";
                                family: string | null;
                                owned_by: string;
                                created: number;
                                endpoints: ("chat-completions" | "responses" | "messages" | "generate-content" | "embeddings" | "rerank" | "images" | "videos")[];
                                context_tokens: number | null;
                                max_output_tokens: number | null;
                                price: {
                                    input: string | null;
                                    output: string | null;
                                    reasoning: string | null;
                                    cache_read: string | null;
                                    cache_write: string | null;
                                    cache_write_1h: string | null;
                                    other_tokens: {
                                        of: string;
                                        usd: string;
                                    }[];
                                    steps: {
                                        above: number;
                                        input: string | null;
                                        output: string | null;
                                        reasoning: string | null;
                                        cache_read: string | null;
                                        cache_write: string | null;
                                        cache_write_1h: string | null;
                                        other_tokens: {
                                            of: string;
                                            usd: string;
                                        }[];
                                    }[];
                                    tiers: {
                                        tier: string;
                                        input: string | null;
                                        output: string | null;
                                        reasoning: string | null;
                                        cache_read: string | null;
                                        cache_write: string | null;
                                        cache_write_1h: string | null;
                                        other_tokens: {
                                            of: string;
                                            usd: string;
                                        }[];
                                    }[];
                                    factors: {
                                        /** @enum {string} */
                                        dimension: "tier" | "speed" | "region" | "hours";
                                        name: string;
                                        factor: string;
                                        utc?: string[];
                                        days?: number[];
                                    }[];
                                    per_image: {
                                        of: string;
                                        usd: string;
                                    }[];
                                    per_second: {
                                        of: string;
                                        usd: string;
                                    }[];
                                    calls: {
                                        of: string;
                                        /** @enum {string} */
                                        per: "use" | "request";
                                        usd: string;
                                    }[];
                                    units: {
                                        of: string;
                                        usd: string;
                                    }[];
                                    request: string | null;
                                };
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                family: string;
                                /** @enum {string} */
                                medium: "image" | "video";
                                submit: string;
                                request: {
                                    [key: string]: unknown;
                                };
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    from?: string;
                    to?: string;
                    key?: string;
                    user?: string | "nobody";
                    model?: string;
                    endpoint?: string;
                    status?: "2xx" | "4xx" | "5xx" | "none";
                    outcome?: "failed" | "answered";
                    reason?: string;
                    tag?: string & (unknown & unknown);
                    upstream?: string;
                    min_cost_nanos?: string;
                    request?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                request_id: string;
                                /** Format: date-time */
                                recorded_at: string;
                                /** Format: date-time */
                                accepted_at: string;
                                key: {
                                    id: string;
                                    name: string | null;
                                };
                                model: string;
                                endpoint: string;
                                streamed: boolean;
                                status: number;
                                reason: string;
                                failed: boolean;
                                error_code: string | null;
                                estimated: boolean;
                                input_tokens: number | null;
                                cached_tokens: number | null;
                                output_tokens: number | null;
                                images: number | null;
                                video_seconds: number | null;
                                charge_nanos: string;
                                first_byte_ms: number | null;
                                total_ms: number;
                                attempts: number;
                                losses: number;
                                upstream: string | null;
                                readonly tags: string[];
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/requests/{request}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    request: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            receipt: {
                                request_id: string;
                                /** @enum {string} */
                                state: "running" | "pending" | "posted" | "quarantined";
                                model?: string;
                                asked_model?: string;
                                readonly tags?: string[];
                                endpoint?: string;
                                streamed?: boolean;
                                /** Format: date-time */
                                accepted_at?: string;
                                /** Format: date-time */
                                ended_at?: string;
                                status?: number;
                                error_code?: string | null;
                                reason?: string;
                                charged?: boolean;
                                estimated?: boolean;
                                readonly ignored_values?: string[];
                                readonly lines?: ({
                                    bucket: string;
                                    model?: string;
                                    tokens: number;
                                    usd_per_million_tokens: string;
                                    factor?: string;
                                    row?: string;
                                    usd: string;
                                } | {
                                    /** @enum {string} */
                                    kind: "call" | "unit" | "request";
                                    name: string;
                                    count: number;
                                    usd_each: string;
                                    usd: string;
                                } | {
                                    /** @enum {string} */
                                    unit: "image" | "second";
                                    of: string;
                                    count: number;
                                    usd_each: string;
                                    usd: string;
                                })[];
                                row?: string;
                                /** @constant */
                                step_estimated?: true;
                                readonly served?: {
                                    /** @enum {string} */
                                    dimension: "tier" | "speed" | "region" | "hours";
                                    name: string;
                                    /** @enum {string} */
                                    from: "response" | "asked" | "upstream" | "time";
                                    factor?: string;
                                }[];
                                readonly unpriced?: string[];
                                sum_usd?: string;
                                factor?: string;
                                exact_usd?: string;
                                charge_usd?: string;
                                charge_nanos?: string;
                                hold_usd?: string;
                                output_limit?: number;
                                readonly losses?: string[];
                                task?: {
                                    id: string;
                                    state: string;
                                    late_result?: unknown;
                                };
                            };
                            request: {
                                request_id: string;
                                /** Format: date-time */
                                recorded_at: string;
                                /** Format: date-time */
                                accepted_at: string;
                                key: {
                                    id: string;
                                    name: string | null;
                                };
                                model: string;
                                endpoint: string;
                                streamed: boolean;
                                status: number;
                                reason: string;
                                failed: boolean;
                                error_code: string | null;
                                estimated: boolean;
                                input_tokens: number | null;
                                cached_tokens: number | null;
                                output_tokens: number | null;
                                images: number | null;
                                video_seconds: number | null;
                                charge_nanos: string;
                                first_byte_ms: number | null;
                                total_ms: number;
                                attempts: number;
                                losses: number;
                                upstream: string | null;
                                readonly tags: string[];
                            } | null;
                            raw_usage: unknown;
                            upstream_model: string | null;
                            place: {
                                credential: string;
                                /** @enum {string} */
                                reason: "affinity" | "first_choice" | "moved" | "pinned" | "state" | "failover";
                            } | null;
                            cost: {
                                cost_nanos: string;
                                margin_nanos: string;
                                attempts: {
                                    upstream: string;
                                    upstream_model: string | null;
                                    credential: string | null;
                                    cost_nanos: string;
                                    stated_nanos: string | null;
                                    /** @enum {string} */
                                    used: "billed" | "nothing" | "unknown";
                                }[];
                            } | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/requests.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    key?: string;
                    user?: string | "nobody";
                    model?: string;
                    endpoint?: string;
                    status?: "2xx" | "4xx" | "5xx" | "none";
                    outcome?: "failed" | "answered";
                    reason?: string;
                    tag?: string & (unknown & unknown);
                    upstream?: string;
                    min_cost_nanos?: string;
                    request?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    id?: string;
                    account?: string;
                    key?: string;
                    user?: string;
                    model?: string;
                    upstream?: string;
                    tag?: string & (unknown & unknown);
                    status?: number;
                    error_code?: string;
                    outcome?: "failed" | "refused";
                    from?: string;
                    to?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                request_id: string;
                                /** Format: date-time */
                                recorded_at: string;
                                /** Format: date-time */
                                accepted_at: string;
                                account: {
                                    id: string;
                                    name: string | null;
                                };
                                key: {
                                    id: string;
                                    name: string | null;
                                };
                                endpoint: string;
                                model: string | null;
                                status: number;
                                error_code: string | null;
                                message: string | null;
                                limit: string | null;
                                refused: boolean;
                                upstream: string | null;
                                attempts: number;
                                total_ms: number;
                                charge_nanos: string;
                                charge_usd: string;
                                readonly tags: string[];
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/requests/{request}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    request: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            request: {
                                request_id: string;
                                /** Format: date-time */
                                recorded_at: string;
                                /** Format: date-time */
                                accepted_at: string;
                                account: {
                                    id: string;
                                    name: string | null;
                                };
                                key: {
                                    id: string;
                                    name: string | null;
                                };
                                endpoint: string;
                                model: string | null;
                                status: number;
                                error_code: string | null;
                                message: string | null;
                                limit: string | null;
                                refused: boolean;
                                upstream: string | null;
                                attempts: number;
                                total_ms: number;
                                charge_nanos: string;
                                charge_usd: string;
                                readonly tags: string[];
                            };
                            attempts: {
                                upstream: string;
                                upstream_model: string;
                                credential: string;
                                status: number | null;
                                type: string;
                                code: string;
                                message: string;
                                vendor_request_id: string | null;
                                began_ms: number;
                                connected_ms: number | null;
                                first_byte_ms: number | null;
                                ended_ms: number;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/failed-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    from?: string;
                    to?: string;
                    key?: string;
                    model?: string;
                    status?: number;
                    error_code?: string;
                    refused?: "true" | "false";
                    request?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                request_id: string;
                                /** Format: date-time */
                                recorded_at: string;
                                /** Format: date-time */
                                accepted_at: string;
                                key: {
                                    id: string;
                                    name: string | null;
                                };
                                endpoint: string;
                                model: string | null;
                                status: number;
                                error_code: string;
                                message: string;
                                limit: string | null;
                                refused: boolean;
                                total_ms: number;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    code?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            counts: {
                                code: string;
                                requests: number;
                            }[];
                            accounts: {
                                account: {
                                    id: string;
                                    name: string | null;
                                };
                                requests: number;
                            }[];
                            data: {
                                code: string;
                                upstream: string | null;
                                vendor_message: string;
                                requests: number;
                                /** Format: date-time */
                                first_at: string;
                                /** Format: date-time */
                                last_at: string;
                                last_request_id: string;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/unknown-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                address: string;
                                prefix: string;
                                requests: number;
                                /** Format: date-time */
                                first_at: string;
                                /** Format: date-time */
                                last_at: string;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/spending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    step?: "day" | "hour";
                    by?: "model" | "key" | "user" | "endpoint" | "tag";
                    tag_key?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            from: string;
                            to: string;
                            totals: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                estimated: number;
                                tokens: {
                                    input_uncached: number;
                                    cache_read: number;
                                    cache_write_5m: number;
                                    cache_write_1h: number;
                                    output_visible: number;
                                    output_reasoning: number;
                                };
                                images: number;
                                video_seconds: number;
                                latencies: {
                                    first_byte: {
                                        p50_ms: number;
                                        p95_ms: number;
                                    } | null;
                                    total: {
                                        p50_ms: number;
                                        p95_ms: number;
                                    } | null;
                                };
                            };
                            groups: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                id: string;
                                name: string | null;
                                latencies: {
                                    first_byte: {
                                        p50_ms: number;
                                        p95_ms: number;
                                    } | null;
                                    total: {
                                        p50_ms: number;
                                        p95_ms: number;
                                    } | null;
                                } | null;
                            }[];
                            others: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                            } | null;
                            series: {
                                /** Format: date-time */
                                at: string;
                                group: string | null;
                                charge_nanos: string;
                                requests: number;
                            }[];
                            forecast: {
                                month: string;
                                charged_nanos: string;
                                day_nanos: string;
                                expected_nanos: string;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/spending.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    step?: "day" | "hour";
                    by?: "model" | "key" | "user" | "endpoint" | "tag";
                    tag_key?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/spending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    period?: "this_month" | "last_month" | "this_quarter" | "last_quarter";
                    from?: string;
                    to?: string;
                    by?: "account" | "group" | "user" | "key" | "model" | "upstream" | "tag" | "month" | "day";
                    account?: string;
                    group?: string;
                    user?: string;
                    key?: string;
                    model?: string;
                    upstream?: string;
                    tag_key?: string;
                    tag?: string & (unknown & unknown);
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                charge_usd: string;
                                cost_nanos: string;
                                cost_usd: string;
                                margin_nanos: string;
                                margin_usd: string;
                                unknown_costs: number;
                                unknown_charge_nanos: string;
                                unknown_charge_usd: string;
                                id: string;
                                name: string | null;
                                account: {
                                    id: string;
                                    name: string;
                                } | null;
                            }[];
                            next: string | null;
                            from: string;
                            to: string;
                            totals: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                charge_usd: string;
                                cost_nanos: string;
                                cost_usd: string;
                                margin_nanos: string;
                                margin_usd: string;
                                unknown_costs: number;
                                unknown_charge_nanos: string;
                                unknown_charge_usd: string;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/spending.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    period?: "this_month" | "last_month" | "this_quarter" | "last_quarter";
                    from?: string;
                    to?: string;
                    by?: "account" | "group" | "user" | "key" | "model" | "upstream" | "tag" | "month" | "day";
                    account?: string;
                    group?: string;
                    user?: string;
                    key?: string;
                    model?: string;
                    upstream?: string;
                    tag_key?: string;
                    tag?: string & (unknown & unknown);
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    medium?: "image" | "video";
                    model?: string;
                    state?: "open" | "SUCCESS" | "FAILURE";
                    key?: string;
                    from?: string;
                    to?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                request_id: string;
                                /** @enum {string} */
                                medium: "image" | "video";
                                family: string;
                                model: string;
                                action: string;
                                /** @enum {string} */
                                state: "NOT_START" | "SUBMITTED" | "QUEUED" | "IN_PROGRESS" | "SUCCESS" | "FAILURE";
                                progress_percent: number;
                                fail_reason: string;
                                prompt: string;
                                key: {
                                    id: string;
                                    name: string | null;
                                };
                                /** Format: date-time */
                                accepted_at: string;
                                started_at: string | null;
                                finished_at: string | null;
                                /** Format: date-time */
                                deadline_at: string;
                                hold_nanos: string;
                                charge_nanos: string | null;
                                files: {
                                    /** @enum {string} */
                                    kind: "image" | "video" | "last_frame";
                                    url: string;
                                    view: string;
                                    expires_at: string | null;
                                }[];
                                late: boolean;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/tasks/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/tasks/{task}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    task: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            request_id: string;
                            /** @enum {string} */
                            medium: "image" | "video";
                            family: string;
                            model: string;
                            action: string;
                            /** @enum {string} */
                            state: "NOT_START" | "SUBMITTED" | "QUEUED" | "IN_PROGRESS" | "SUCCESS" | "FAILURE";
                            progress_percent: number;
                            fail_reason: string;
                            prompt: string;
                            key: {
                                id: string;
                                name: string | null;
                            };
                            /** Format: date-time */
                            accepted_at: string;
                            started_at: string | null;
                            finished_at: string | null;
                            /** Format: date-time */
                            deadline_at: string;
                            hold_nanos: string;
                            charge_nanos: string | null;
                            files: {
                                /** @enum {string} */
                                kind: "image" | "video" | "last_frame";
                                url: string;
                                view: string;
                                expires_at: string | null;
                            }[];
                            late: boolean;
                            submit: string;
                            request: {
                                [key: string]: unknown;
                            };
                            shortened: number;
                            receipt: {
                                request_id: string;
                                /** @enum {string} */
                                state: "running" | "pending" | "posted" | "quarantined";
                                model?: string;
                                asked_model?: string;
                                readonly tags?: string[];
                                endpoint?: string;
                                streamed?: boolean;
                                /** Format: date-time */
                                accepted_at?: string;
                                /** Format: date-time */
                                ended_at?: string;
                                status?: number;
                                error_code?: string | null;
                                reason?: string;
                                charged?: boolean;
                                estimated?: boolean;
                                readonly ignored_values?: string[];
                                readonly lines?: ({
                                    bucket: string;
                                    model?: string;
                                    tokens: number;
                                    usd_per_million_tokens: string;
                                    factor?: string;
                                    row?: string;
                                    usd: string;
                                } | {
                                    /** @enum {string} */
                                    kind: "call" | "unit" | "request";
                                    name: string;
                                    count: number;
                                    usd_each: string;
                                    usd: string;
                                } | {
                                    /** @enum {string} */
                                    unit: "image" | "second";
                                    of: string;
                                    count: number;
                                    usd_each: string;
                                    usd: string;
                                })[];
                                row?: string;
                                /** @constant */
                                step_estimated?: true;
                                readonly served?: {
                                    /** @enum {string} */
                                    dimension: "tier" | "speed" | "region" | "hours";
                                    name: string;
                                    /** @enum {string} */
                                    from: "response" | "asked" | "upstream" | "time";
                                    factor?: string;
                                }[];
                                readonly unpriced?: string[];
                                sum_usd?: string;
                                factor?: string;
                                exact_usd?: string;
                                charge_usd?: string;
                                charge_nanos?: string;
                                hold_usd?: string;
                                output_limit?: number;
                                readonly losses?: string[];
                                task?: {
                                    id: string;
                                    state: string;
                                    late_result?: unknown;
                                };
                            } | null;
                            webhook: {
                                url: string;
                                delivered_at: string | null;
                                next_at: string | null;
                                attempts: {
                                    attempt: number;
                                    /** Format: date-time */
                                    at: string;
                                    status: number | null;
                                    failure: string | null;
                                    duration_ms: number;
                                }[];
                            } | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/tasks/{task}/files/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    download?: "1";
                };
                header?: never;
                path: {
                    account: string;
                    task: string;
                    file: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                /** @enum {string} */
                                type: "Image" | "Video" | "Audio";
                                name: string;
                                status: string;
                                usable: boolean;
                                /** Format: date-time */
                                created_at: string;
                                view: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        url: string;
                        /** @enum {string} */
                        asset_type?: "Image" | "Video" | "Audio";
                        name?: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/assets/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    asset: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            /** @enum {string} */
                            type: "Image" | "Video" | "Audio";
                            name: string;
                            status: string;
                            usable: boolean;
                            /** Format: date-time */
                            created_at: string;
                            view: string;
                            url: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/assets/{asset}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    asset: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    trouble?: "overdue" | "stuck" | "ambiguous";
                    model?: string;
                    account?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                account: {
                                    id: string;
                                    name: string;
                                };
                                /** @enum {string} */
                                medium: "image" | "video";
                                model: string;
                                /** @enum {string} */
                                state: "NOT_START" | "SUBMITTED" | "QUEUED" | "IN_PROGRESS" | "SUCCESS" | "FAILURE";
                                progress_percent: number;
                                /** Format: date-time */
                                accepted_at: string;
                                /** Format: date-time */
                                deadline_at: string;
                                /** Format: date-time */
                                due_at: string;
                                upstream: {
                                    name: string;
                                    model: string;
                                    task: string | null;
                                    /** Format: date-time */
                                    intended_at: string;
                                } | null;
                                submit_attempts: number;
                                polls: number;
                                hold_nanos: string;
                                trouble: ("overdue" | "stuck" | "ambiguous")[];
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/queue/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            open: number;
                            overdue: number;
                            stuck: number;
                            ambiguous: number;
                            polled_late: number;
                            by_model: {
                                model: string;
                                /** @enum {string} */
                                state: "NOT_START" | "SUBMITTED" | "QUEUED" | "IN_PROGRESS" | "SUCCESS" | "FAILURE";
                                open: number;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/queue/{task}/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    task: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            balance_nanos: string;
                            available_nanos: string;
                            held_nanos: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    view?: "changes" | "funding" | "usage" | "tasks" | "everything";
                    from?: string;
                    to?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                /** Format: date-time */
                                at: string;
                                /** @enum {string} */
                                kind: "opening" | "credit" | "code" | "debit" | "usage" | "absorbed_loss" | "hold" | "task_charge" | "task_return" | "lease" | "return";
                                amount_nanos: string;
                                change_nanos: string;
                                available_change_nanos: string;
                                balance_after_nanos: string | null;
                                reference: {
                                    /** @enum {string} */
                                    type: "account" | "code" | "task" | "flush" | "process" | "record";
                                    id: string;
                                };
                                requests: number | null;
                                reason: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/statement/{entry}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path: {
                    account: string;
                    entry: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                request_id: string;
                                /** Format: date-time */
                                ended_at: string;
                                model: string;
                                endpoint: string;
                                charge_nanos: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/statement.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    view?: "changes" | "funding" | "usage" | "tasks" | "everything";
                    from?: string;
                    to?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                month: string;
                                complete: boolean;
                                opening_nanos: string;
                                opening_usd: string;
                                credited_nanos: string;
                                credited_usd: string;
                                debited_nanos: string;
                                debited_usd: string;
                                text_nanos: string;
                                text_usd: string;
                                tasks_nanos: string;
                                tasks_usd: string;
                                closing_nanos: string;
                                closing_usd: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/statements/{month}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    month: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            month: string;
                            complete: boolean;
                            opening_nanos: string;
                            opening_usd: string;
                            credited_nanos: string;
                            credited_usd: string;
                            debited_nanos: string;
                            debited_usd: string;
                            text_nanos: string;
                            text_usd: string;
                            tasks_nanos: string;
                            tasks_usd: string;
                            closing_nanos: string;
                            closing_usd: string;
                            /** @constant */
                            currency: "USD";
                            account: {
                                id: string;
                                name: string;
                                legal_name: string | null;
                                address: string | null;
                                tax_id: string | null;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/statements/{month}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path: {
                    account: string;
                    month: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                /** Format: date */
                                day: string;
                                at: string | null;
                                /** @enum {string} */
                                kind: "opening" | "credit" | "code" | "debit" | "refund" | "usage";
                                amount_nanos: string;
                                amount_usd: string;
                                change_nanos: string;
                                change_usd: string;
                                balance_after_nanos: string;
                                balance_after_usd: string;
                                entry: string | null;
                                reference: {
                                    /** @enum {string} */
                                    type: "account" | "code" | "task";
                                    id: string;
                                } | null;
                                reason: string | null;
                                usage: {
                                    requests: number;
                                    text_nanos: string;
                                    text_usd: string;
                                    tasks_nanos: string;
                                    tasks_usd: string;
                                    absorbed_nanos: string;
                                    absorbed_usd: string;
                                } | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/statements/{month}/rows.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    month: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/billing-details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            legal_name: string | null;
                            address: string | null;
                            tax_id: string | null;
                            revision: string;
                        };
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        legal_name: string | null;
                        address: string | null;
                        tax_id: string | null;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            legal_name: string | null;
                            address: string | null;
                            tax_id: string | null;
                            revision: string;
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/redemptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            credited_nanos: string;
                            repeated: boolean;
                            /** Format: date-time */
                            redeemed_at: string;
                            balance_nanos: string;
                            available_nanos: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/code-batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                amount_nanos: string;
                                note: string;
                                expires_at: string | null;
                                created_by: string;
                                /** Format: date-time */
                                created_at: string;
                                codes: number;
                                redeemed: number;
                                revoked: number;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        amount_usd?: string;
                        amount_nanos?: string;
                        count: number;
                        /** Format: date-time */
                        expires_at?: string;
                        /** @default  */
                        note?: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            amount_nanos: string;
                            note: string;
                            expires_at: string | null;
                            created_by: string;
                            /** Format: date-time */
                            created_at: string;
                            codes: number;
                            redeemed: number;
                            revoked: number;
                            plain_codes: string[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/code-batches/{batch}/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path: {
                    batch: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                hint: string;
                                /** @enum {string} */
                                state: "unused" | "redeemed" | "revoked" | "expired";
                                redeemed_at: string | null;
                                redeemed_by: string | null;
                                account: {
                                    id: string;
                                    name: string;
                                } | null;
                                revoked_at: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/code-batches/{batch}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    batch: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            revoked: number;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/code-batches/{batch}/codes/{code}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    batch: string;
                    code: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            revoked: number;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/balance-alert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            alert: {
                                threshold_nanos: string;
                                url: string | null;
                                emails: string[];
                                below: boolean;
                                fired_at: string | null;
                            } | null;
                            revision: string;
                            deliveries: {
                                id: string;
                                event: string;
                                url: string;
                                /** Format: date-time */
                                created_at: string;
                                delivered_at: string | null;
                                next_attempt_at: string | null;
                                attempts: {
                                    attempt: number;
                                    /** Format: date-time */
                                    at: string;
                                    status: number | null;
                                    failure: string | null;
                                    duration_ms: number;
                                }[];
                            }[];
                        };
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        amount_usd?: string;
                        amount_nanos?: string;
                        url?: string | null;
                        emails?: string[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            alert: {
                                threshold_nanos: string;
                                url: string | null;
                                emails: string[];
                                below: boolean;
                                fired_at: string | null;
                            } | null;
                            revision: string;
                            deliveries: {
                                id: string;
                                event: string;
                                url: string;
                                /** Format: date-time */
                                created_at: string;
                                delivered_at: string | null;
                                next_attempt_at: string | null;
                                attempts: {
                                    attempt: number;
                                    /** Format: date-time */
                                    at: string;
                                    status: number | null;
                                    failure: string | null;
                                    duration_ms: number;
                                }[];
                            }[];
                        };
                    };
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            alert: {
                                threshold_nanos: string;
                                url: string | null;
                                emails: string[];
                                below: boolean;
                                fired_at: string | null;
                            } | null;
                            revision: string;
                            deliveries: {
                                id: string;
                                event: string;
                                url: string;
                                /** Format: date-time */
                                created_at: string;
                                delivered_at: string | null;
                                next_attempt_at: string | null;
                                attempts: {
                                    attempt: number;
                                    /** Format: date-time */
                                    at: string;
                                    status: number | null;
                                    failure: string | null;
                                    duration_ms: number;
                                }[];
                            }[];
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/balance-alert/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            alert: {
                                threshold_nanos: string;
                                url: string | null;
                                emails: string[];
                                below: boolean;
                                fired_at: string | null;
                            } | null;
                            revision: string;
                            deliveries: {
                                id: string;
                                event: string;
                                url: string;
                                /** Format: date-time */
                                created_at: string;
                                delivered_at: string | null;
                                next_attempt_at: string | null;
                                attempts: {
                                    attempt: number;
                                    /** Format: date-time */
                                    at: string;
                                    status: number | null;
                                    failure: string | null;
                                    duration_ms: number;
                                }[];
                            }[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            secret: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/webhook-secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            secret: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                name: string;
                                account: {
                                    id: string;
                                    name: string;
                                };
                                user: {
                                    id: string;
                                    name: string;
                                } | null;
                                key: {
                                    id: string;
                                    name: string;
                                } | null;
                                model: string | null;
                                amount_nanos: string;
                                amount_usd: string;
                                /** @enum {string} */
                                period: "day" | "week" | "month";
                                hard: boolean;
                                alerts: {
                                    percents: number[];
                                    targets: ({
                                        /** @enum {string} */
                                        kind: "webhook" | "slack" | "teams";
                                        url: string;
                                    } | {
                                        /** @constant */
                                        kind: "email";
                                        address: string;
                                    })[];
                                };
                                spent_nanos: string;
                                spent_usd: string;
                                /** Format: date-time */
                                period_start: string;
                                /** Format: date-time */
                                resets_at: string;
                                /** Format: date-time */
                                created_at: string;
                                revision: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                name: string;
                                account: {
                                    id: string;
                                    name: string;
                                };
                                user: {
                                    id: string;
                                    name: string;
                                } | null;
                                key: {
                                    id: string;
                                    name: string;
                                } | null;
                                model: string | null;
                                amount_nanos: string;
                                amount_usd: string;
                                /** @enum {string} */
                                period: "day" | "week" | "month";
                                hard: boolean;
                                alerts: {
                                    percents: number[];
                                    targets: ({
                                        /** @enum {string} */
                                        kind: "webhook" | "slack" | "teams";
                                        url: string;
                                    } | {
                                        /** @constant */
                                        kind: "email";
                                        address: string;
                                    })[];
                                };
                                spent_nanos: string;
                                spent_usd: string;
                                /** Format: date-time */
                                period_start: string;
                                /** Format: date-time */
                                resets_at: string;
                                /** Format: date-time */
                                created_at: string;
                                revision: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        /** @enum {string} */
                        period: "day" | "week" | "month";
                        hard: boolean;
                        amount_usd?: string;
                        amount_nanos?: string;
                        user?: string;
                        key?: string;
                        model?: string;
                        alerts?: {
                            percents: number[];
                            targets: ({
                                /** @constant */
                                kind: "webhook";
                                /** Format: uri */
                                url: string;
                            } | {
                                /** @constant */
                                kind: "slack";
                                /** Format: uri */
                                url: string;
                            } | {
                                /** @constant */
                                kind: "teams";
                                /** Format: uri */
                                url: string;
                            } | {
                                /** @constant */
                                kind: "email";
                                address: string;
                            })[];
                        };
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            account: {
                                id: string;
                                name: string;
                            };
                            user: {
                                id: string;
                                name: string;
                            } | null;
                            key: {
                                id: string;
                                name: string;
                            } | null;
                            model: string | null;
                            amount_nanos: string;
                            amount_usd: string;
                            /** @enum {string} */
                            period: "day" | "week" | "month";
                            hard: boolean;
                            alerts: {
                                percents: number[];
                                targets: ({
                                    /** @enum {string} */
                                    kind: "webhook" | "slack" | "teams";
                                    url: string;
                                } | {
                                    /** @constant */
                                    kind: "email";
                                    address: string;
                                })[];
                            };
                            spent_nanos: string;
                            spent_usd: string;
                            /** Format: date-time */
                            period_start: string;
                            /** Format: date-time */
                            resets_at: string;
                            /** Format: date-time */
                            created_at: string;
                            revision: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{account}/budgets/{budget}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    budget: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            account: {
                                id: string;
                                name: string;
                            };
                            user: {
                                id: string;
                                name: string;
                            } | null;
                            key: {
                                id: string;
                                name: string;
                            } | null;
                            model: string | null;
                            amount_nanos: string;
                            amount_usd: string;
                            /** @enum {string} */
                            period: "day" | "week" | "month";
                            hard: boolean;
                            alerts: {
                                percents: number[];
                                targets: ({
                                    /** @enum {string} */
                                    kind: "webhook" | "slack" | "teams";
                                    url: string;
                                } | {
                                    /** @constant */
                                    kind: "email";
                                    address: string;
                                })[];
                            };
                            spent_nanos: string;
                            spent_usd: string;
                            /** Format: date-time */
                            period_start: string;
                            /** Format: date-time */
                            resets_at: string;
                            /** Format: date-time */
                            created_at: string;
                            revision: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    account: string;
                    budget: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            deleted: string;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    account: string;
                    budget: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        /** @enum {string} */
                        period?: "day" | "week" | "month";
                        hard?: boolean;
                        alerts?: {
                            percents: number[];
                            targets: ({
                                /** @constant */
                                kind: "webhook";
                                /** Format: uri */
                                url: string;
                            } | {
                                /** @constant */
                                kind: "slack";
                                /** Format: uri */
                                url: string;
                            } | {
                                /** @constant */
                                kind: "teams";
                                /** Format: uri */
                                url: string;
                            } | {
                                /** @constant */
                                kind: "email";
                                address: string;
                            })[];
                        };
                        amount_usd?: string;
                        amount_nanos?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            account: {
                                id: string;
                                name: string;
                            };
                            user: {
                                id: string;
                                name: string;
                            } | null;
                            key: {
                                id: string;
                                name: string;
                            } | null;
                            model: string | null;
                            amount_nanos: string;
                            amount_usd: string;
                            /** @enum {string} */
                            period: "day" | "week" | "month";
                            hard: boolean;
                            alerts: {
                                percents: number[];
                                targets: ({
                                    /** @enum {string} */
                                    kind: "webhook" | "slack" | "teams";
                                    url: string;
                                } | {
                                    /** @constant */
                                    kind: "email";
                                    address: string;
                                })[];
                            };
                            spent_nanos: string;
                            spent_usd: string;
                            /** Format: date-time */
                            period_start: string;
                            /** Format: date-time */
                            resets_at: string;
                            /** Format: date-time */
                            created_at: string;
                            revision: string;
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/accounts/{account}/budgets/{budget}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                    budget: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            sent: number;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/ledger/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            ok: boolean;
                            breaches: {
                                rule: string;
                                says: string;
                                subject: string;
                                found: string;
                                expected: string;
                            }[];
                            revenue_nanos: string;
                            loss_nanos: string;
                            funding_nanos: string;
                            quarantined_records: number;
                            unposted_records: number | null;
                            accounts: {
                                name: string;
                                balance_nanos: string;
                                available_nanos: string;
                            }[];
                            took_ms: number;
                            /** Format: date-time */
                            at: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/ledger/losses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                /** Format: date-time */
                                at: string;
                                /** @enum {string} */
                                kind: "post" | "quarantine";
                                amount_nanos: string;
                                account: {
                                    id: string;
                                    name: string;
                                };
                                reference: string;
                            }[];
                            next: string | null;
                            total_nanos: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/ledger/write-offs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                request_id: string;
                                /** Format: date-time */
                                at: string;
                                account: {
                                    id: string;
                                    name: string;
                                };
                                model: string;
                                upstream: string | null;
                                amount_nanos: string;
                                charge_nanos: string;
                                reason: string;
                                /** @enum {string} */
                                why: "beyond_money" | "impossible_usage";
                                implausible: {
                                    /** @enum {string} */
                                    field: "input" | "output" | "calls" | "search" | "image";
                                    reported: number;
                                    most: number;
                                    /** @constant */
                                    charged?: true;
                                }[];
                            }[];
                            next: string | null;
                            total_nanos: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/ledger/quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                journal: string;
                                record: string;
                                /** Format: date-time */
                                at: string;
                                account: {
                                    id: string;
                                    name: string;
                                };
                                hold_nanos: string;
                                refusal: string;
                                request_id: string | null;
                                model: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/ledger/vendor-costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    days?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            text: {
                                upstream: string;
                                responses: number;
                                charged_nanos: string;
                                reporting: number;
                                reporting_charged_nanos: string;
                                reported_cost: string | null;
                            }[];
                            tasks: {
                                upstream: string;
                                responses: number;
                                charged_nanos: string;
                                reporting: number;
                                reporting_charged_nanos: string;
                                reported_cost: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/margins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    by?: "upstream" | "model" | "account" | "month";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            from: string;
                            to: string;
                            totals: {
                                attempts: number;
                                unknown: number;
                                charge_nanos: string;
                                cost_nanos: string;
                                margin_nanos: string;
                                stated_attempts: number;
                                stated_nanos: string;
                                stated_cost_nanos: string;
                            };
                            data: {
                                attempts: number;
                                unknown: number;
                                charge_nanos: string;
                                cost_nanos: string;
                                margin_nanos: string;
                                stated_attempts: number;
                                stated_nanos: string;
                                stated_cost_nanos: string;
                                id: string;
                                name: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/margins.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    by?: "upstream" | "model" | "account" | "month";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/reconciliations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    upstreams?: string;
                    project?: string;
                    zone?: string;
                    tolerance?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/octet-stream": string;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            format: string;
                            zone: string;
                            from: string;
                            to: string;
                            rows: number;
                            left_out: {
                                /** @enum {string} */
                                reason: "without a day, as totals are" | "of services that sell no models";
                                lines: number[];
                            }[];
                            ours_usd: string;
                            theirs_usd: string | null;
                            differences: {
                                day: string;
                                model: string | null;
                                bucket: string | null;
                                ours: {
                                    quantity: number | null;
                                    usd: string | null;
                                };
                                theirs: {
                                    quantity: number | null;
                                    usd: string | null;
                                };
                                difference_usd: string | null;
                                requests: {
                                    id: string;
                                    account: string;
                                    why: ("implausible" | "estimated" | "unpriced" | "unknown cost" | "across midnight" | "same quantity")[];
                                }[];
                            }[];
                            differences_total: number;
                            causes: {
                                /** @enum {string} */
                                name: "currency" | "nothing_recorded" | "project" | "time_zone" | "duplicate_row" | "tier" | "bucket" | "rounding" | "price_change" | "price" | "not_recorded_here" | "not_billed";
                                text: string;
                                /** @enum {string} */
                                sentence: "currency" | "nothing_recorded" | "project" | "time_zone" | "duplicate_row" | "tier" | "tier_factor" | "bucket" | "rounding" | "price_change" | "price" | "price_unstated" | "not_recorded_here" | "not_billed";
                                where: string | null;
                                values: string[];
                                more: number;
                            }[];
                            causes_total: number;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                name: string;
                                factor: string;
                                accounts: number;
                                models: number;
                                upstreams: number;
                                revision: string;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string & (unknown & unknown);
                        factor: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            factor: string;
                            accounts: number;
                            models: number;
                            upstreams: number;
                            revision: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/groups/{group}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    group: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            deleted: string;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    group: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        factor: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            factor: string;
                            accounts: number;
                            models: number;
                            upstreams: number;
                            revision: string;
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/operator/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: string;
                    search?: string;
                    group?: string;
                    disabled?: "true" | "false";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                name: string;
                                group: string;
                                disabled: boolean;
                                /** Format: date-time */
                                created_at: string;
                                balance_nanos: string;
                                available_nanos: string;
                                spent_this_month_nanos: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string & (unknown & unknown);
                        /** @default default */
                        group?: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            group: string;
                            disabled: boolean;
                            /** Format: date-time */
                            created_at: string;
                            balance_nanos: string;
                            available_nanos: string;
                            spent_this_month_nanos: string;
                            keys: number;
                            members: number;
                            requests_last_hour: number;
                            readonly tag_keys: string[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/accounts/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            group: string;
                            disabled: boolean;
                            /** Format: date-time */
                            created_at: string;
                            balance_nanos: string;
                            available_nanos: string;
                            spent_this_month_nanos: string;
                            keys: number;
                            members: number;
                            requests_last_hour: number;
                            readonly tag_keys: string[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        group?: string;
                        disabled?: boolean;
                        tag_keys?: string[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            group: string;
                            disabled: boolean;
                            /** Format: date-time */
                            created_at: string;
                            balance_nanos: string;
                            available_nanos: string;
                            spent_this_month_nanos: string;
                            keys: number;
                            members: number;
                            requests_last_hour: number;
                            readonly tag_keys: string[];
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/operator/accounts/{account}/adjustments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    account: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        amount_usd?: string;
                        amount_nanos?: string;
                        reason: string;
                        idempotency_key: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            repeated: boolean;
                            balance_nanos: string;
                            available_nanos: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                name: string;
                                kind: string;
                                preset: string | null;
                                base_url: string;
                                models: {
                                    [key: string]: string;
                                };
                                protocols: string[] | null;
                                groups: string[] | null;
                                priority: number;
                                weight: number;
                                limits: {
                                    concurrency?: number;
                                    requests_per_minute?: number;
                                    tokens_per_minute?: number;
                                };
                                shared_ids: string[];
                                timeouts: {
                                    connect_ms?: number;
                                    first_byte_stream_ms?: number;
                                    first_byte_plain_ms?: number;
                                    idle_ms?: number;
                                    total_ms?: number;
                                };
                                probe: boolean;
                                signer: string | null;
                                cost: {
                                    factor: string;
                                    prices: {
                                        [key: string]: {
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            steps?: {
                                                above: number;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            }[];
                                            tiers?: {
                                                [key: string]: {
                                                    factor?: string;
                                                    input?: string;
                                                    output?: string;
                                                    reasoning?: string;
                                                    cache_read?: string;
                                                    cache_read_explicit?: string;
                                                    cache_write?: string;
                                                    cache_write_30m?: string;
                                                    cache_write_1h?: string;
                                                    cache_write_12h?: string;
                                                    audio?: {
                                                        input?: string;
                                                        cache_read?: string;
                                                        output?: string;
                                                    };
                                                    image?: {
                                                        input?: string;
                                                        cache_read?: string;
                                                        output?: string;
                                                    };
                                                    video?: {
                                                        input?: string;
                                                        cache_read?: string;
                                                        output?: string;
                                                    };
                                                };
                                            };
                                            speeds?: {
                                                [key: string]: {
                                                    factor: string;
                                                };
                                            };
                                            regions?: {
                                                [key: string]: {
                                                    factor: string;
                                                };
                                            };
                                            hours?: {
                                                name: string;
                                                utc: string[];
                                                days?: number[];
                                                factor: string;
                                            }[];
                                            calls?: {
                                                [key: string]: string | {
                                                    price: string;
                                                    per: string;
                                                } | {
                                                    [key: string]: string;
                                                };
                                            };
                                            units?: {
                                                [key: string]: string;
                                            };
                                            request?: string;
                                            per_image?: {
                                                [key: string]: string;
                                            };
                                            per_second?: {
                                                [key: string]: string;
                                            };
                                        };
                                    };
                                } | null;
                                unasked_tiers: string[];
                                region: string | null;
                                headers: {
                                    [key: string]: string;
                                };
                                proxy: string | null;
                                ca_file: string | null;
                                body: {
                                    set?: {
                                        [key: string]: unknown;
                                    };
                                    default?: {
                                        [key: string]: unknown;
                                    };
                                    remove?: string[];
                                } | null;
                                betas: {
                                    drop: string[];
                                } | null;
                                location: string | null;
                                project: string | null;
                                api_version: string | null;
                                token_url: string | null;
                                token_scope: string | null;
                                end_user: "account" | null;
                                enabled: boolean;
                                revision: string;
                                credentials: {
                                    id: string;
                                    name: string;
                                    hint: string;
                                    fields: {
                                        [key: string]: string;
                                    } | null;
                                    reference: string | null;
                                    enabled: boolean;
                                    troubles: {
                                        model: string;
                                        /** @enum {string} */
                                        state: "ready" | "returning" | "cooling" | "open";
                                        wait_seconds: number;
                                        closed_accounts: number;
                                    }[];
                                }[];
                                health: {
                                    /** @enum {string} */
                                    state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                    running: number;
                                    limited_seconds: number;
                                    connections: number;
                                    open_breakers: number;
                                    attempts: {
                                        ok: number;
                                        failed: number;
                                        rate_limited: number;
                                        refused: number;
                                    };
                                };
                                hour: {
                                    requests: number;
                                    errors: number;
                                    input_tokens: number;
                                    output_tokens: number;
                                    charge_nanos: string;
                                    first_byte_p50_ms: number | null;
                                    first_byte_p95_ms: number | null;
                                };
                            }[];
                            next: null;
                            process: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        kind: string;
                        base_url?: string;
                        models: {
                            [key: string]: string;
                        };
                        preset?: string | null;
                        protocols?: string[] | null;
                        groups?: string[] | null;
                        priority?: number;
                        weight?: number;
                        limits?: {
                            concurrency?: number;
                            requests_per_minute?: number;
                            tokens_per_minute?: number;
                        };
                        shared_ids?: string[];
                        timeouts?: {
                            connect_ms?: number;
                            first_byte_stream_ms?: number;
                            first_byte_plain_ms?: number;
                            idle_ms?: number;
                            total_ms?: number;
                        };
                        probe?: boolean;
                        signer?: string | null;
                        cost?: {
                            factor: string;
                            prices: {
                                [key: string]: {
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    steps?: {
                                        above: number;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    }[];
                                    tiers?: {
                                        [key: string]: {
                                            factor?: string;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        };
                                    };
                                    speeds?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    regions?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    hours?: {
                                        name: string;
                                        utc: string[];
                                        days?: number[];
                                        factor: string;
                                    }[];
                                    calls?: {
                                        [key: string]: string | {
                                            price: string;
                                            per: string;
                                        } | {
                                            [key: string]: string;
                                        };
                                    };
                                    units?: {
                                        [key: string]: string;
                                    };
                                    request?: string;
                                    per_image?: {
                                        [key: string]: string;
                                    };
                                    per_second?: {
                                        [key: string]: string;
                                    };
                                };
                            };
                        } | null;
                        unasked_tiers?: string[];
                        region?: string | null;
                        headers?: {
                            [key: string]: string;
                        };
                        proxy?: string | null;
                        ca_file?: string | null;
                        body?: {
                            set?: {
                                [key: string]: unknown;
                            };
                            default?: {
                                [key: string]: unknown;
                            };
                            remove?: string[];
                        } | null;
                        betas?: {
                            drop: string[];
                        } | null;
                        end_user?: "account" | null;
                        location?: string | null;
                        project?: string | null;
                        api_version?: string | null;
                        token_url?: string | null;
                        token_scope?: string | null;
                        enabled?: boolean;
                        api_keys?: string[];
                        credentials?: {
                            [key: string]: string;
                        }[];
                        name: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            kind: string;
                            preset: string | null;
                            base_url: string;
                            models: {
                                [key: string]: string;
                            };
                            protocols: string[] | null;
                            groups: string[] | null;
                            priority: number;
                            weight: number;
                            limits: {
                                concurrency?: number;
                                requests_per_minute?: number;
                                tokens_per_minute?: number;
                            };
                            shared_ids: string[];
                            timeouts: {
                                connect_ms?: number;
                                first_byte_stream_ms?: number;
                                first_byte_plain_ms?: number;
                                idle_ms?: number;
                                total_ms?: number;
                            };
                            probe: boolean;
                            signer: string | null;
                            cost: {
                                factor: string;
                                prices: {
                                    [key: string]: {
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        steps?: {
                                            above: number;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        }[];
                                        tiers?: {
                                            [key: string]: {
                                                factor?: string;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            };
                                        };
                                        speeds?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        regions?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        hours?: {
                                            name: string;
                                            utc: string[];
                                            days?: number[];
                                            factor: string;
                                        }[];
                                        calls?: {
                                            [key: string]: string | {
                                                price: string;
                                                per: string;
                                            } | {
                                                [key: string]: string;
                                            };
                                        };
                                        units?: {
                                            [key: string]: string;
                                        };
                                        request?: string;
                                        per_image?: {
                                            [key: string]: string;
                                        };
                                        per_second?: {
                                            [key: string]: string;
                                        };
                                    };
                                };
                            } | null;
                            unasked_tiers: string[];
                            region: string | null;
                            headers: {
                                [key: string]: string;
                            };
                            proxy: string | null;
                            ca_file: string | null;
                            body: {
                                set?: {
                                    [key: string]: unknown;
                                };
                                default?: {
                                    [key: string]: unknown;
                                };
                                remove?: string[];
                            } | null;
                            betas: {
                                drop: string[];
                            } | null;
                            location: string | null;
                            project: string | null;
                            api_version: string | null;
                            token_url: string | null;
                            token_scope: string | null;
                            end_user: "account" | null;
                            enabled: boolean;
                            revision: string;
                            credentials: {
                                id: string;
                                name: string;
                                hint: string;
                                fields: {
                                    [key: string]: string;
                                } | null;
                                reference: string | null;
                                enabled: boolean;
                                troubles: {
                                    model: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                            health: {
                                /** @enum {string} */
                                state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                running: number;
                                limited_seconds: number;
                                connections: number;
                                open_breakers: number;
                                attempts: {
                                    ok: number;
                                    failed: number;
                                    rate_limited: number;
                                    refused: number;
                                };
                            };
                            hour: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams/{upstream}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    upstream: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            kind: string;
                            preset: string | null;
                            base_url: string;
                            models: {
                                [key: string]: string;
                            };
                            protocols: string[] | null;
                            groups: string[] | null;
                            priority: number;
                            weight: number;
                            limits: {
                                concurrency?: number;
                                requests_per_minute?: number;
                                tokens_per_minute?: number;
                            };
                            shared_ids: string[];
                            timeouts: {
                                connect_ms?: number;
                                first_byte_stream_ms?: number;
                                first_byte_plain_ms?: number;
                                idle_ms?: number;
                                total_ms?: number;
                            };
                            probe: boolean;
                            signer: string | null;
                            cost: {
                                factor: string;
                                prices: {
                                    [key: string]: {
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        steps?: {
                                            above: number;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        }[];
                                        tiers?: {
                                            [key: string]: {
                                                factor?: string;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            };
                                        };
                                        speeds?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        regions?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        hours?: {
                                            name: string;
                                            utc: string[];
                                            days?: number[];
                                            factor: string;
                                        }[];
                                        calls?: {
                                            [key: string]: string | {
                                                price: string;
                                                per: string;
                                            } | {
                                                [key: string]: string;
                                            };
                                        };
                                        units?: {
                                            [key: string]: string;
                                        };
                                        request?: string;
                                        per_image?: {
                                            [key: string]: string;
                                        };
                                        per_second?: {
                                            [key: string]: string;
                                        };
                                    };
                                };
                            } | null;
                            unasked_tiers: string[];
                            region: string | null;
                            headers: {
                                [key: string]: string;
                            };
                            proxy: string | null;
                            ca_file: string | null;
                            body: {
                                set?: {
                                    [key: string]: unknown;
                                };
                                default?: {
                                    [key: string]: unknown;
                                };
                                remove?: string[];
                            } | null;
                            betas: {
                                drop: string[];
                            } | null;
                            location: string | null;
                            project: string | null;
                            api_version: string | null;
                            token_url: string | null;
                            token_scope: string | null;
                            end_user: "account" | null;
                            enabled: boolean;
                            revision: string;
                            credentials: {
                                id: string;
                                name: string;
                                hint: string;
                                fields: {
                                    [key: string]: string;
                                } | null;
                                reference: string | null;
                                enabled: boolean;
                                troubles: {
                                    model: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                            health: {
                                /** @enum {string} */
                                state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                running: number;
                                limited_seconds: number;
                                connections: number;
                                open_breakers: number;
                                attempts: {
                                    ok: number;
                                    failed: number;
                                    rate_limited: number;
                                    refused: number;
                                };
                            };
                            hour: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                            };
                        };
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    upstream: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        kind: string;
                        base_url?: string;
                        models: {
                            [key: string]: string;
                        };
                        preset?: string | null;
                        protocols?: string[] | null;
                        groups?: string[] | null;
                        priority?: number;
                        weight?: number;
                        limits?: {
                            concurrency?: number;
                            requests_per_minute?: number;
                            tokens_per_minute?: number;
                        };
                        shared_ids?: string[];
                        timeouts?: {
                            connect_ms?: number;
                            first_byte_stream_ms?: number;
                            first_byte_plain_ms?: number;
                            idle_ms?: number;
                            total_ms?: number;
                        };
                        probe?: boolean;
                        signer?: string | null;
                        cost?: {
                            factor: string;
                            prices: {
                                [key: string]: {
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    steps?: {
                                        above: number;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    }[];
                                    tiers?: {
                                        [key: string]: {
                                            factor?: string;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        };
                                    };
                                    speeds?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    regions?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    hours?: {
                                        name: string;
                                        utc: string[];
                                        days?: number[];
                                        factor: string;
                                    }[];
                                    calls?: {
                                        [key: string]: string | {
                                            price: string;
                                            per: string;
                                        } | {
                                            [key: string]: string;
                                        };
                                    };
                                    units?: {
                                        [key: string]: string;
                                    };
                                    request?: string;
                                    per_image?: {
                                        [key: string]: string;
                                    };
                                    per_second?: {
                                        [key: string]: string;
                                    };
                                };
                            };
                        } | null;
                        unasked_tiers?: string[];
                        region?: string | null;
                        headers?: {
                            [key: string]: string;
                        };
                        proxy?: string | null;
                        ca_file?: string | null;
                        body?: {
                            set?: {
                                [key: string]: unknown;
                            };
                            default?: {
                                [key: string]: unknown;
                            };
                            remove?: string[];
                        } | null;
                        betas?: {
                            drop: string[];
                        } | null;
                        end_user?: "account" | null;
                        location?: string | null;
                        project?: string | null;
                        api_version?: string | null;
                        token_url?: string | null;
                        token_scope?: string | null;
                        enabled?: boolean;
                        api_keys?: string[];
                        credentials?: {
                            [key: string]: string;
                        }[];
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            kind: string;
                            preset: string | null;
                            base_url: string;
                            models: {
                                [key: string]: string;
                            };
                            protocols: string[] | null;
                            groups: string[] | null;
                            priority: number;
                            weight: number;
                            limits: {
                                concurrency?: number;
                                requests_per_minute?: number;
                                tokens_per_minute?: number;
                            };
                            shared_ids: string[];
                            timeouts: {
                                connect_ms?: number;
                                first_byte_stream_ms?: number;
                                first_byte_plain_ms?: number;
                                idle_ms?: number;
                                total_ms?: number;
                            };
                            probe: boolean;
                            signer: string | null;
                            cost: {
                                factor: string;
                                prices: {
                                    [key: string]: {
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        steps?: {
                                            above: number;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        }[];
                                        tiers?: {
                                            [key: string]: {
                                                factor?: string;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            };
                                        };
                                        speeds?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        regions?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        hours?: {
                                            name: string;
                                            utc: string[];
                                            days?: number[];
                                            factor: string;
                                        }[];
                                        calls?: {
                                            [key: string]: string | {
                                                price: string;
                                                per: string;
                                            } | {
                                                [key: string]: string;
                                            };
                                        };
                                        units?: {
                                            [key: string]: string;
                                        };
                                        request?: string;
                                        per_image?: {
                                            [key: string]: string;
                                        };
                                        per_second?: {
                                            [key: string]: string;
                                        };
                                    };
                                };
                            } | null;
                            unasked_tiers: string[];
                            region: string | null;
                            headers: {
                                [key: string]: string;
                            };
                            proxy: string | null;
                            ca_file: string | null;
                            body: {
                                set?: {
                                    [key: string]: unknown;
                                };
                                default?: {
                                    [key: string]: unknown;
                                };
                                remove?: string[];
                            } | null;
                            betas: {
                                drop: string[];
                            } | null;
                            location: string | null;
                            project: string | null;
                            api_version: string | null;
                            token_url: string | null;
                            token_scope: string | null;
                            end_user: "account" | null;
                            enabled: boolean;
                            revision: string;
                            credentials: {
                                id: string;
                                name: string;
                                hint: string;
                                fields: {
                                    [key: string]: string;
                                } | null;
                                reference: string | null;
                                enabled: boolean;
                                troubles: {
                                    model: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                            health: {
                                /** @enum {string} */
                                state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                running: number;
                                limited_seconds: number;
                                connections: number;
                                open_breakers: number;
                                attempts: {
                                    ok: number;
                                    failed: number;
                                    rate_limited: number;
                                    refused: number;
                                };
                            };
                            hour: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                            };
                        };
                    };
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    upstream: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            removed: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams/{upstream}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    days?: number;
                };
                header?: never;
                path: {
                    upstream: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            days: {
                                /** Format: date */
                                day: string;
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                images: number;
                                video_seconds: number;
                                charge_nanos: string;
                                reported: {
                                    requests: number;
                                    charge_nanos: string;
                                    cost_nanos: string;
                                } | null;
                            }[];
                            failures: {
                                request_id: string;
                                /** Format: date-time */
                                at: string;
                                account_id: string;
                                model: string;
                                status: number;
                                reason: string;
                                error_code: string | null;
                                attempts: number;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                name: string;
                                protocols: string[];
                                possible_protocols: string[];
                                families: string[];
                                needs_key: boolean;
                                credential_forms: {
                                    name: string;
                                    from: string | null;
                                    fields: {
                                        name: string;
                                        about: string;
                                        secret: boolean;
                                        required: boolean;
                                    }[];
                                }[];
                                places: {
                                    name: string;
                                    required: boolean;
                                }[];
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                name: string;
                                base_url: string;
                                protocols: string[];
                                needs_key: boolean;
                                keys_url: string | null;
                                source: string;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams/{upstream}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    upstream: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        enabled: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            kind: string;
                            preset: string | null;
                            base_url: string;
                            models: {
                                [key: string]: string;
                            };
                            protocols: string[] | null;
                            groups: string[] | null;
                            priority: number;
                            weight: number;
                            limits: {
                                concurrency?: number;
                                requests_per_minute?: number;
                                tokens_per_minute?: number;
                            };
                            shared_ids: string[];
                            timeouts: {
                                connect_ms?: number;
                                first_byte_stream_ms?: number;
                                first_byte_plain_ms?: number;
                                idle_ms?: number;
                                total_ms?: number;
                            };
                            probe: boolean;
                            signer: string | null;
                            cost: {
                                factor: string;
                                prices: {
                                    [key: string]: {
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        steps?: {
                                            above: number;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        }[];
                                        tiers?: {
                                            [key: string]: {
                                                factor?: string;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            };
                                        };
                                        speeds?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        regions?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        hours?: {
                                            name: string;
                                            utc: string[];
                                            days?: number[];
                                            factor: string;
                                        }[];
                                        calls?: {
                                            [key: string]: string | {
                                                price: string;
                                                per: string;
                                            } | {
                                                [key: string]: string;
                                            };
                                        };
                                        units?: {
                                            [key: string]: string;
                                        };
                                        request?: string;
                                        per_image?: {
                                            [key: string]: string;
                                        };
                                        per_second?: {
                                            [key: string]: string;
                                        };
                                    };
                                };
                            } | null;
                            unasked_tiers: string[];
                            region: string | null;
                            headers: {
                                [key: string]: string;
                            };
                            proxy: string | null;
                            ca_file: string | null;
                            body: {
                                set?: {
                                    [key: string]: unknown;
                                };
                                default?: {
                                    [key: string]: unknown;
                                };
                                remove?: string[];
                            } | null;
                            betas: {
                                drop: string[];
                            } | null;
                            location: string | null;
                            project: string | null;
                            api_version: string | null;
                            token_url: string | null;
                            token_scope: string | null;
                            end_user: "account" | null;
                            enabled: boolean;
                            revision: string;
                            credentials: {
                                id: string;
                                name: string;
                                hint: string;
                                fields: {
                                    [key: string]: string;
                                } | null;
                                reference: string | null;
                                enabled: boolean;
                                troubles: {
                                    model: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                            health: {
                                /** @enum {string} */
                                state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                running: number;
                                limited_seconds: number;
                                connections: number;
                                open_breakers: number;
                                attempts: {
                                    ok: number;
                                    failed: number;
                                    rate_limited: number;
                                    refused: number;
                                };
                            };
                            hour: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                            };
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams/{upstream}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    upstream: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        secret?: string;
                        fields?: {
                            [key: string]: string;
                        };
                        name?: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            kind: string;
                            preset: string | null;
                            base_url: string;
                            models: {
                                [key: string]: string;
                            };
                            protocols: string[] | null;
                            groups: string[] | null;
                            priority: number;
                            weight: number;
                            limits: {
                                concurrency?: number;
                                requests_per_minute?: number;
                                tokens_per_minute?: number;
                            };
                            shared_ids: string[];
                            timeouts: {
                                connect_ms?: number;
                                first_byte_stream_ms?: number;
                                first_byte_plain_ms?: number;
                                idle_ms?: number;
                                total_ms?: number;
                            };
                            probe: boolean;
                            signer: string | null;
                            cost: {
                                factor: string;
                                prices: {
                                    [key: string]: {
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        steps?: {
                                            above: number;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        }[];
                                        tiers?: {
                                            [key: string]: {
                                                factor?: string;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            };
                                        };
                                        speeds?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        regions?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        hours?: {
                                            name: string;
                                            utc: string[];
                                            days?: number[];
                                            factor: string;
                                        }[];
                                        calls?: {
                                            [key: string]: string | {
                                                price: string;
                                                per: string;
                                            } | {
                                                [key: string]: string;
                                            };
                                        };
                                        units?: {
                                            [key: string]: string;
                                        };
                                        request?: string;
                                        per_image?: {
                                            [key: string]: string;
                                        };
                                        per_second?: {
                                            [key: string]: string;
                                        };
                                    };
                                };
                            } | null;
                            unasked_tiers: string[];
                            region: string | null;
                            headers: {
                                [key: string]: string;
                            };
                            proxy: string | null;
                            ca_file: string | null;
                            body: {
                                set?: {
                                    [key: string]: unknown;
                                };
                                default?: {
                                    [key: string]: unknown;
                                };
                                remove?: string[];
                            } | null;
                            betas: {
                                drop: string[];
                            } | null;
                            location: string | null;
                            project: string | null;
                            api_version: string | null;
                            token_url: string | null;
                            token_scope: string | null;
                            end_user: "account" | null;
                            enabled: boolean;
                            revision: string;
                            credentials: {
                                id: string;
                                name: string;
                                hint: string;
                                fields: {
                                    [key: string]: string;
                                } | null;
                                reference: string | null;
                                enabled: boolean;
                                troubles: {
                                    model: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                            health: {
                                /** @enum {string} */
                                state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                running: number;
                                limited_seconds: number;
                                connections: number;
                                open_breakers: number;
                                attempts: {
                                    ok: number;
                                    failed: number;
                                    rate_limited: number;
                                    refused: number;
                                };
                            };
                            hour: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams/{upstream}/credentials/{credential}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    upstream: string;
                    credential: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            kind: string;
                            preset: string | null;
                            base_url: string;
                            models: {
                                [key: string]: string;
                            };
                            protocols: string[] | null;
                            groups: string[] | null;
                            priority: number;
                            weight: number;
                            limits: {
                                concurrency?: number;
                                requests_per_minute?: number;
                                tokens_per_minute?: number;
                            };
                            shared_ids: string[];
                            timeouts: {
                                connect_ms?: number;
                                first_byte_stream_ms?: number;
                                first_byte_plain_ms?: number;
                                idle_ms?: number;
                                total_ms?: number;
                            };
                            probe: boolean;
                            signer: string | null;
                            cost: {
                                factor: string;
                                prices: {
                                    [key: string]: {
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        steps?: {
                                            above: number;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        }[];
                                        tiers?: {
                                            [key: string]: {
                                                factor?: string;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            };
                                        };
                                        speeds?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        regions?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        hours?: {
                                            name: string;
                                            utc: string[];
                                            days?: number[];
                                            factor: string;
                                        }[];
                                        calls?: {
                                            [key: string]: string | {
                                                price: string;
                                                per: string;
                                            } | {
                                                [key: string]: string;
                                            };
                                        };
                                        units?: {
                                            [key: string]: string;
                                        };
                                        request?: string;
                                        per_image?: {
                                            [key: string]: string;
                                        };
                                        per_second?: {
                                            [key: string]: string;
                                        };
                                    };
                                };
                            } | null;
                            unasked_tiers: string[];
                            region: string | null;
                            headers: {
                                [key: string]: string;
                            };
                            proxy: string | null;
                            ca_file: string | null;
                            body: {
                                set?: {
                                    [key: string]: unknown;
                                };
                                default?: {
                                    [key: string]: unknown;
                                };
                                remove?: string[];
                            } | null;
                            betas: {
                                drop: string[];
                            } | null;
                            location: string | null;
                            project: string | null;
                            api_version: string | null;
                            token_url: string | null;
                            token_scope: string | null;
                            end_user: "account" | null;
                            enabled: boolean;
                            revision: string;
                            credentials: {
                                id: string;
                                name: string;
                                hint: string;
                                fields: {
                                    [key: string]: string;
                                } | null;
                                reference: string | null;
                                enabled: boolean;
                                troubles: {
                                    model: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                            health: {
                                /** @enum {string} */
                                state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                running: number;
                                limited_seconds: number;
                                connections: number;
                                open_breakers: number;
                                attempts: {
                                    ok: number;
                                    failed: number;
                                    rate_limited: number;
                                    refused: number;
                                };
                            };
                            hour: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                            };
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    upstream: string;
                    credential: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        secret?: string;
                        fields?: {
                            [key: string]: string;
                        };
                        name?: string;
                        enabled?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            kind: string;
                            preset: string | null;
                            base_url: string;
                            models: {
                                [key: string]: string;
                            };
                            protocols: string[] | null;
                            groups: string[] | null;
                            priority: number;
                            weight: number;
                            limits: {
                                concurrency?: number;
                                requests_per_minute?: number;
                                tokens_per_minute?: number;
                            };
                            shared_ids: string[];
                            timeouts: {
                                connect_ms?: number;
                                first_byte_stream_ms?: number;
                                first_byte_plain_ms?: number;
                                idle_ms?: number;
                                total_ms?: number;
                            };
                            probe: boolean;
                            signer: string | null;
                            cost: {
                                factor: string;
                                prices: {
                                    [key: string]: {
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        steps?: {
                                            above: number;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        }[];
                                        tiers?: {
                                            [key: string]: {
                                                factor?: string;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            };
                                        };
                                        speeds?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        regions?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        hours?: {
                                            name: string;
                                            utc: string[];
                                            days?: number[];
                                            factor: string;
                                        }[];
                                        calls?: {
                                            [key: string]: string | {
                                                price: string;
                                                per: string;
                                            } | {
                                                [key: string]: string;
                                            };
                                        };
                                        units?: {
                                            [key: string]: string;
                                        };
                                        request?: string;
                                        per_image?: {
                                            [key: string]: string;
                                        };
                                        per_second?: {
                                            [key: string]: string;
                                        };
                                    };
                                };
                            } | null;
                            unasked_tiers: string[];
                            region: string | null;
                            headers: {
                                [key: string]: string;
                            };
                            proxy: string | null;
                            ca_file: string | null;
                            body: {
                                set?: {
                                    [key: string]: unknown;
                                };
                                default?: {
                                    [key: string]: unknown;
                                };
                                remove?: string[];
                            } | null;
                            betas: {
                                drop: string[];
                            } | null;
                            location: string | null;
                            project: string | null;
                            api_version: string | null;
                            token_url: string | null;
                            token_scope: string | null;
                            end_user: "account" | null;
                            enabled: boolean;
                            revision: string;
                            credentials: {
                                id: string;
                                name: string;
                                hint: string;
                                fields: {
                                    [key: string]: string;
                                } | null;
                                reference: string | null;
                                enabled: boolean;
                                troubles: {
                                    model: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                            health: {
                                /** @enum {string} */
                                state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                running: number;
                                limited_seconds: number;
                                connections: number;
                                open_breakers: number;
                                attempts: {
                                    ok: number;
                                    failed: number;
                                    rate_limited: number;
                                    refused: number;
                                };
                            };
                            hour: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                            };
                        };
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/operator/upstreams/{upstream}/credentials/{credential}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    upstream: string;
                    credential: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            ok: boolean;
                            latency_ms: number;
                            message: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/upstreams/{upstream}/offered-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    upstream: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            list: {
                                name: string;
                                date: string;
                            };
                            data: {
                                id: string;
                                context_tokens: number | null;
                                max_output_tokens: number | null;
                                input_media: string[] | null;
                                price: {
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    steps?: {
                                        above: number;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    }[];
                                    tiers?: {
                                        [key: string]: {
                                            factor?: string;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        };
                                    };
                                    speeds?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    regions?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    hours?: {
                                        name: string;
                                        utc: string[];
                                        days?: number[];
                                        factor: string;
                                    }[];
                                    calls?: {
                                        [key: string]: string | {
                                            price: string;
                                            per: string;
                                        } | {
                                            [key: string]: string;
                                        };
                                    };
                                    units?: {
                                        [key: string]: string;
                                    };
                                    request?: string;
                                    per_image?: {
                                        [key: string]: string;
                                    };
                                    per_second?: {
                                        [key: string]: string;
                                    };
                                } | null;
                                unpriced_reason: string | null;
                                listed_as: string | null;
                                url: string | null;
                                serves: string[];
                                in_catalog: boolean;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    upstream: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        models: {
                            id: string;
                            context_tokens: number | null;
                            max_output_tokens: number | null;
                            input_media: string[] | null;
                            price: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                            } | null;
                        }[];
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            kind: string;
                            preset: string | null;
                            base_url: string;
                            models: {
                                [key: string]: string;
                            };
                            protocols: string[] | null;
                            groups: string[] | null;
                            priority: number;
                            weight: number;
                            limits: {
                                concurrency?: number;
                                requests_per_minute?: number;
                                tokens_per_minute?: number;
                            };
                            shared_ids: string[];
                            timeouts: {
                                connect_ms?: number;
                                first_byte_stream_ms?: number;
                                first_byte_plain_ms?: number;
                                idle_ms?: number;
                                total_ms?: number;
                            };
                            probe: boolean;
                            signer: string | null;
                            cost: {
                                factor: string;
                                prices: {
                                    [key: string]: {
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        steps?: {
                                            above: number;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        }[];
                                        tiers?: {
                                            [key: string]: {
                                                factor?: string;
                                                input?: string;
                                                output?: string;
                                                reasoning?: string;
                                                cache_read?: string;
                                                cache_read_explicit?: string;
                                                cache_write?: string;
                                                cache_write_30m?: string;
                                                cache_write_1h?: string;
                                                cache_write_12h?: string;
                                                audio?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                image?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                                video?: {
                                                    input?: string;
                                                    cache_read?: string;
                                                    output?: string;
                                                };
                                            };
                                        };
                                        speeds?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        regions?: {
                                            [key: string]: {
                                                factor: string;
                                            };
                                        };
                                        hours?: {
                                            name: string;
                                            utc: string[];
                                            days?: number[];
                                            factor: string;
                                        }[];
                                        calls?: {
                                            [key: string]: string | {
                                                price: string;
                                                per: string;
                                            } | {
                                                [key: string]: string;
                                            };
                                        };
                                        units?: {
                                            [key: string]: string;
                                        };
                                        request?: string;
                                        per_image?: {
                                            [key: string]: string;
                                        };
                                        per_second?: {
                                            [key: string]: string;
                                        };
                                    };
                                };
                            } | null;
                            unasked_tiers: string[];
                            region: string | null;
                            headers: {
                                [key: string]: string;
                            };
                            proxy: string | null;
                            ca_file: string | null;
                            body: {
                                set?: {
                                    [key: string]: unknown;
                                };
                                default?: {
                                    [key: string]: unknown;
                                };
                                remove?: string[];
                            } | null;
                            betas: {
                                drop: string[];
                            } | null;
                            location: string | null;
                            project: string | null;
                            api_version: string | null;
                            token_url: string | null;
                            token_scope: string | null;
                            end_user: "account" | null;
                            enabled: boolean;
                            revision: string;
                            credentials: {
                                id: string;
                                name: string;
                                hint: string;
                                fields: {
                                    [key: string]: string;
                                } | null;
                                reference: string | null;
                                enabled: boolean;
                                troubles: {
                                    model: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                            health: {
                                /** @enum {string} */
                                state: "healthy" | "degraded" | "failing" | "idle" | "disabled" | "unusable";
                                running: number;
                                limited_seconds: number;
                                connections: number;
                                open_breakers: number;
                                attempts: {
                                    ok: number;
                                    failed: number;
                                    rate_limited: number;
                                    refused: number;
                                };
                            };
                            hour: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                            };
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                alias_of: string | null;
                                family: string | null;
                                variant: string | null;
                                owned_by: string;
                                created: number;
                                endpoints: string[];
                                groups: string[] | null;
                                context_tokens: number | null;
                                max_output_tokens: number | null;
                                fallbacks: {
                                    model: string;
                                    on: ("unavailable" | "rate_limited" | "context_length" | "refusal")[];
                                }[];
                                order: ("latency" | "cost") | null;
                                price: {
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    steps?: {
                                        above: number;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    }[];
                                    tiers?: {
                                        [key: string]: {
                                            factor?: string;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        };
                                    };
                                    speeds?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    regions?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    hours?: {
                                        name: string;
                                        utc: string[];
                                        days?: number[];
                                        factor: string;
                                    }[];
                                    calls?: {
                                        [key: string]: string | {
                                            price: string;
                                            per: string;
                                        } | {
                                            [key: string]: string;
                                        };
                                    };
                                    units?: {
                                        [key: string]: string;
                                    };
                                    request?: string;
                                    per_image?: {
                                        [key: string]: string;
                                    };
                                    per_second?: {
                                        [key: string]: string;
                                    };
                                } | null;
                                coming_prices: {
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    steps?: {
                                        above: number;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    }[];
                                    tiers?: {
                                        [key: string]: {
                                            factor?: string;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        };
                                    };
                                    speeds?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    regions?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    hours?: {
                                        name: string;
                                        utc: string[];
                                        days?: number[];
                                        factor: string;
                                    }[];
                                    calls?: {
                                        [key: string]: string | {
                                            price: string;
                                            per: string;
                                        } | {
                                            [key: string]: string;
                                        };
                                    };
                                    units?: {
                                        [key: string]: string;
                                    };
                                    request?: string;
                                    per_image?: {
                                        [key: string]: string;
                                    };
                                    per_second?: {
                                        [key: string]: string;
                                    };
                                    /** Format: date-time */
                                    from: string;
                                }[];
                                quirks: {
                                    [key: string]: unknown;
                                };
                                price_since: string | null;
                                upstreams: string[];
                                callable_in: string[];
                                revision: string;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        alias_of?: string | null;
                        family?: string | null;
                        variant?: string | null;
                        owned_by?: string;
                        created?: number;
                        endpoints?: string[];
                        groups?: string[] | null;
                        context_tokens?: number | null;
                        max_output_tokens?: number | null;
                        fallbacks?: {
                            model: string;
                            on: ("unavailable" | "rate_limited" | "context_length" | "refusal")[];
                        }[];
                        order?: ("latency" | "cost") | null;
                        price?: {
                            input?: string;
                            output?: string;
                            reasoning?: string;
                            cache_read?: string;
                            cache_read_explicit?: string;
                            cache_write?: string;
                            cache_write_30m?: string;
                            cache_write_1h?: string;
                            cache_write_12h?: string;
                            audio?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            image?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            video?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            steps?: {
                                above: number;
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                            }[];
                            tiers?: {
                                [key: string]: {
                                    factor?: string;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                };
                            };
                            speeds?: {
                                [key: string]: {
                                    factor: string;
                                };
                            };
                            regions?: {
                                [key: string]: {
                                    factor: string;
                                };
                            };
                            hours?: {
                                name: string;
                                utc: string[];
                                days?: number[];
                                factor: string;
                            }[];
                            calls?: {
                                [key: string]: string | {
                                    price: string;
                                    per: string;
                                } | {
                                    [key: string]: string;
                                };
                            };
                            units?: {
                                [key: string]: string;
                            };
                            request?: string;
                            per_image?: {
                                [key: string]: string;
                            };
                            per_second?: {
                                [key: string]: string;
                            };
                        } | null;
                        coming_prices?: {
                            input?: string;
                            output?: string;
                            reasoning?: string;
                            cache_read?: string;
                            cache_read_explicit?: string;
                            cache_write?: string;
                            cache_write_30m?: string;
                            cache_write_1h?: string;
                            cache_write_12h?: string;
                            audio?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            image?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            video?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            steps?: {
                                above: number;
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                            }[];
                            tiers?: {
                                [key: string]: {
                                    factor?: string;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                };
                            };
                            speeds?: {
                                [key: string]: {
                                    factor: string;
                                };
                            };
                            regions?: {
                                [key: string]: {
                                    factor: string;
                                };
                            };
                            hours?: {
                                name: string;
                                utc: string[];
                                days?: number[];
                                factor: string;
                            }[];
                            calls?: {
                                [key: string]: string | {
                                    price: string;
                                    per: string;
                                } | {
                                    [key: string]: string;
                                };
                            };
                            units?: {
                                [key: string]: string;
                            };
                            request?: string;
                            per_image?: {
                                [key: string]: string;
                            };
                            per_second?: {
                                [key: string]: string;
                            };
                            /** Format: date-time */
                            from: string;
                        }[];
                        quirks?: {
                            [key: string]: unknown;
                        };
                        id: string;
                    };
                };
            };
            responses: {
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            alias_of: string | null;
                            family: string | null;
                            variant: string | null;
                            owned_by: string;
                            created: number;
                            endpoints: string[];
                            groups: string[] | null;
                            context_tokens: number | null;
                            max_output_tokens: number | null;
                            fallbacks: {
                                model: string;
                                on: ("unavailable" | "rate_limited" | "context_length" | "refusal")[];
                            }[];
                            order: ("latency" | "cost") | null;
                            price: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                            } | null;
                            coming_prices: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                                /** Format: date-time */
                                from: string;
                            }[];
                            quirks: {
                                [key: string]: unknown;
                            };
                            price_since: string | null;
                            upstreams: string[];
                            callable_in: string[];
                            revision: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    model: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            alias_of: string | null;
                            family: string | null;
                            variant: string | null;
                            owned_by: string;
                            created: number;
                            endpoints: string[];
                            groups: string[] | null;
                            context_tokens: number | null;
                            max_output_tokens: number | null;
                            fallbacks: {
                                model: string;
                                on: ("unavailable" | "rate_limited" | "context_length" | "refusal")[];
                            }[];
                            order: ("latency" | "cost") | null;
                            price: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                            } | null;
                            coming_prices: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                                /** Format: date-time */
                                from: string;
                            }[];
                            quirks: {
                                [key: string]: unknown;
                            };
                            price_since: string | null;
                            upstreams: string[];
                            callable_in: string[];
                            revision: string;
                        };
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    model: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        alias_of?: string | null;
                        family?: string | null;
                        variant?: string | null;
                        owned_by?: string;
                        created?: number;
                        endpoints?: string[];
                        groups?: string[] | null;
                        context_tokens?: number | null;
                        max_output_tokens?: number | null;
                        fallbacks?: {
                            model: string;
                            on: ("unavailable" | "rate_limited" | "context_length" | "refusal")[];
                        }[];
                        order?: ("latency" | "cost") | null;
                        price?: {
                            input?: string;
                            output?: string;
                            reasoning?: string;
                            cache_read?: string;
                            cache_read_explicit?: string;
                            cache_write?: string;
                            cache_write_30m?: string;
                            cache_write_1h?: string;
                            cache_write_12h?: string;
                            audio?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            image?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            video?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            steps?: {
                                above: number;
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                            }[];
                            tiers?: {
                                [key: string]: {
                                    factor?: string;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                };
                            };
                            speeds?: {
                                [key: string]: {
                                    factor: string;
                                };
                            };
                            regions?: {
                                [key: string]: {
                                    factor: string;
                                };
                            };
                            hours?: {
                                name: string;
                                utc: string[];
                                days?: number[];
                                factor: string;
                            }[];
                            calls?: {
                                [key: string]: string | {
                                    price: string;
                                    per: string;
                                } | {
                                    [key: string]: string;
                                };
                            };
                            units?: {
                                [key: string]: string;
                            };
                            request?: string;
                            per_image?: {
                                [key: string]: string;
                            };
                            per_second?: {
                                [key: string]: string;
                            };
                        } | null;
                        coming_prices?: {
                            input?: string;
                            output?: string;
                            reasoning?: string;
                            cache_read?: string;
                            cache_read_explicit?: string;
                            cache_write?: string;
                            cache_write_30m?: string;
                            cache_write_1h?: string;
                            cache_write_12h?: string;
                            audio?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            image?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            video?: {
                                input?: string;
                                cache_read?: string;
                                output?: string;
                            };
                            steps?: {
                                above: number;
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                            }[];
                            tiers?: {
                                [key: string]: {
                                    factor?: string;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                };
                            };
                            speeds?: {
                                [key: string]: {
                                    factor: string;
                                };
                            };
                            regions?: {
                                [key: string]: {
                                    factor: string;
                                };
                            };
                            hours?: {
                                name: string;
                                utc: string[];
                                days?: number[];
                                factor: string;
                            }[];
                            calls?: {
                                [key: string]: string | {
                                    price: string;
                                    per: string;
                                } | {
                                    [key: string]: string;
                                };
                            };
                            units?: {
                                [key: string]: string;
                            };
                            request?: string;
                            per_image?: {
                                [key: string]: string;
                            };
                            per_second?: {
                                [key: string]: string;
                            };
                            /** Format: date-time */
                            from: string;
                        }[];
                        quirks?: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            alias_of: string | null;
                            family: string | null;
                            variant: string | null;
                            owned_by: string;
                            created: number;
                            endpoints: string[];
                            groups: string[] | null;
                            context_tokens: number | null;
                            max_output_tokens: number | null;
                            fallbacks: {
                                model: string;
                                on: ("unavailable" | "rate_limited" | "context_length" | "refusal")[];
                            }[];
                            order: ("latency" | "cost") | null;
                            price: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                            } | null;
                            coming_prices: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                                /** Format: date-time */
                                from: string;
                            }[];
                            quirks: {
                                [key: string]: unknown;
                            };
                            price_since: string | null;
                            upstreams: string[];
                            callable_in: string[];
                            revision: string;
                        };
                    };
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    model: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            removed: true;
                        };
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models/{model}/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    model: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                /** Format: date-time */
                                since: string;
                                price: {
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    steps?: {
                                        above: number;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    }[];
                                    tiers?: {
                                        [key: string]: {
                                            factor?: string;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        };
                                    };
                                    speeds?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    regions?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    hours?: {
                                        name: string;
                                        utc: string[];
                                        days?: number[];
                                        factor: string;
                                    }[];
                                    calls?: {
                                        [key: string]: string | {
                                            price: string;
                                            per: string;
                                        } | {
                                            [key: string]: string;
                                        };
                                    };
                                    units?: {
                                        [key: string]: string;
                                    };
                                    request?: string;
                                    per_image?: {
                                        [key: string]: string;
                                    };
                                    per_second?: {
                                        [key: string]: string;
                                    };
                                };
                                in_force: boolean;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/known-prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    search?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                vendor: string;
                                model: string;
                                name: string;
                                context_tokens: number | null;
                                price: {
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    steps?: {
                                        above: number;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    }[];
                                    tiers?: {
                                        [key: string]: {
                                            factor?: string;
                                            input?: string;
                                            output?: string;
                                            reasoning?: string;
                                            cache_read?: string;
                                            cache_read_explicit?: string;
                                            cache_write?: string;
                                            cache_write_30m?: string;
                                            cache_write_1h?: string;
                                            cache_write_12h?: string;
                                            audio?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            image?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                            video?: {
                                                input?: string;
                                                cache_read?: string;
                                                output?: string;
                                            };
                                        };
                                    };
                                    speeds?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    regions?: {
                                        [key: string]: {
                                            factor: string;
                                        };
                                    };
                                    hours?: {
                                        name: string;
                                        utc: string[];
                                        days?: number[];
                                        factor: string;
                                    }[];
                                    calls?: {
                                        [key: string]: string | {
                                            price: string;
                                            per: string;
                                        } | {
                                            [key: string]: string;
                                        };
                                    };
                                    units?: {
                                        [key: string]: string;
                                    };
                                    request?: string;
                                    per_image?: {
                                        [key: string]: string;
                                    };
                                    per_second?: {
                                        [key: string]: string;
                                    };
                                };
                                notes: string[];
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/price-differences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            list: {
                                name: string;
                                date: string;
                            };
                            data: {
                                model: string;
                                upstreams: string[];
                                vendor: string;
                                listed_as: string;
                                url: string | null;
                                differences: {
                                    price: string;
                                    ours: string | null;
                                    theirs: string | null;
                                }[];
                                left_out: string[];
                                problem: string | null;
                                version: string;
                            }[];
                            compared: number;
                            unlisted: string[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models/{model}/listed-price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    model: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        vendor: string;
                        listed_as: string;
                        version: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            alias_of: string | null;
                            family: string | null;
                            variant: string | null;
                            owned_by: string;
                            created: number;
                            endpoints: string[];
                            groups: string[] | null;
                            context_tokens: number | null;
                            max_output_tokens: number | null;
                            fallbacks: {
                                model: string;
                                on: ("unavailable" | "rate_limited" | "context_length" | "refusal")[];
                            }[];
                            order: ("latency" | "cost") | null;
                            price: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                            } | null;
                            coming_prices: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                                /** Format: date-time */
                                from: string;
                            }[];
                            quirks: {
                                [key: string]: unknown;
                            };
                            price_since: string | null;
                            upstreams: string[];
                            callable_in: string[];
                            revision: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/unpriced-usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                model: string;
                                upstream: string;
                                what: string;
                                requests: number;
                                /** Format: date-time */
                                first_at: string;
                                /** Format: date-time */
                                last_at: string;
                                request_id: string;
                                prices: {
                                    price: string;
                                    listed: string | null;
                                }[];
                                source: {
                                    list: string;
                                    date: string;
                                    vendor: string;
                                    listed_as: string;
                                    url: string | null;
                                } | null;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models/{model}/missing-price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    model: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        upstream: string;
                        what: string;
                        prices: {
                            [key: string]: string;
                        };
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            alias_of: string | null;
                            family: string | null;
                            variant: string | null;
                            owned_by: string;
                            created: number;
                            endpoints: string[];
                            groups: string[] | null;
                            context_tokens: number | null;
                            max_output_tokens: number | null;
                            fallbacks: {
                                model: string;
                                on: ("unavailable" | "rate_limited" | "context_length" | "refusal")[];
                            }[];
                            order: ("latency" | "cost") | null;
                            price: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                            } | null;
                            coming_prices: {
                                input?: string;
                                output?: string;
                                reasoning?: string;
                                cache_read?: string;
                                cache_read_explicit?: string;
                                cache_write?: string;
                                cache_write_30m?: string;
                                cache_write_1h?: string;
                                cache_write_12h?: string;
                                audio?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                image?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                video?: {
                                    input?: string;
                                    cache_read?: string;
                                    output?: string;
                                };
                                steps?: {
                                    above: number;
                                    input?: string;
                                    output?: string;
                                    reasoning?: string;
                                    cache_read?: string;
                                    cache_read_explicit?: string;
                                    cache_write?: string;
                                    cache_write_30m?: string;
                                    cache_write_1h?: string;
                                    cache_write_12h?: string;
                                    audio?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    image?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                    video?: {
                                        input?: string;
                                        cache_read?: string;
                                        output?: string;
                                    };
                                }[];
                                tiers?: {
                                    [key: string]: {
                                        factor?: string;
                                        input?: string;
                                        output?: string;
                                        reasoning?: string;
                                        cache_read?: string;
                                        cache_read_explicit?: string;
                                        cache_write?: string;
                                        cache_write_30m?: string;
                                        cache_write_1h?: string;
                                        cache_write_12h?: string;
                                        audio?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        image?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                        video?: {
                                            input?: string;
                                            cache_read?: string;
                                            output?: string;
                                        };
                                    };
                                };
                                speeds?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                regions?: {
                                    [key: string]: {
                                        factor: string;
                                    };
                                };
                                hours?: {
                                    name: string;
                                    utc: string[];
                                    days?: number[];
                                    factor: string;
                                }[];
                                calls?: {
                                    [key: string]: string | {
                                        price: string;
                                        per: string;
                                    } | {
                                        [key: string]: string;
                                    };
                                };
                                units?: {
                                    [key: string]: string;
                                };
                                request?: string;
                                per_image?: {
                                    [key: string]: string;
                                };
                                per_second?: {
                                    [key: string]: string;
                                };
                                /** Format: date-time */
                                from: string;
                            }[];
                            quirks: {
                                [key: string]: unknown;
                            };
                            price_since: string | null;
                            upstreams: string[];
                            callable_in: string[];
                            revision: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/catalog/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/yaml; charset=utf-8": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/catalog/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        text: string;
                        /** @default false */
                        prune?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            ok: boolean;
                            problems: {
                                line: number;
                                column: number;
                                path: string;
                                message: string;
                            }[];
                            changes: {
                                /** @enum {string} */
                                action: "create" | "update" | "delete" | "disable" | "revoke" | "grant";
                                /** @enum {string} */
                                subject: "group" | "model" | "upstream" | "settings" | "account" | "key" | "balance";
                                name: string;
                                details: string[];
                            }[];
                            notes: string[];
                            rendered: string;
                            version: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/catalog/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        text: string;
                        /** @default false */
                        prune?: boolean;
                        version?: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            ok: boolean;
                            problems: {
                                line: number;
                                column: number;
                                path: string;
                                message: string;
                            }[];
                            changes: {
                                /** @enum {string} */
                                action: "create" | "update" | "delete" | "disable" | "revoke" | "grant";
                                /** @enum {string} */
                                subject: "group" | "model" | "upstream" | "settings" | "account" | "key" | "balance";
                                name: string;
                                details: string[];
                            }[];
                            notes: string[];
                            rendered: string;
                            version: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/routing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    model: string;
                    group?: string;
                    endpoint?: "chat-completions" | "responses" | "messages" | "generate-content" | "embeddings" | "rerank" | "images" | "videos";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            process: string;
                            endpoint: string;
                            endpoints: string[];
                            refusal: string | null;
                            conversations: {
                                sampled: number;
                                seen_once: number;
                            };
                            targets: {
                                tier: number;
                                upstream: {
                                    id: string;
                                    name: string;
                                    kind: string;
                                };
                                model: string;
                                priority: number;
                                weight: number;
                                share: number;
                                protocol: string | null;
                                translates: boolean;
                                changes: string[];
                                full: boolean;
                                limited_seconds: number;
                                credentials: {
                                    id: string;
                                    name: string;
                                    /** @enum {string} */
                                    state: "ready" | "returning" | "cooling" | "open";
                                    wait_seconds: number;
                                    closed_accounts: number;
                                }[];
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            slot_seconds: number;
                            slots: {
                                /** Format: date-time */
                                at: string;
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                                first_byte_p99_ms: number | null;
                            }[];
                            span_seconds: number;
                            total: {
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                                first_byte_p99_ms: number | null;
                            };
                            upstreams: {
                                name: string;
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                                first_byte_p99_ms: number | null;
                            }[];
                            models: {
                                name: string;
                                requests: number;
                                errors: number;
                                input_tokens: number;
                                output_tokens: number;
                                charge_nanos: string;
                                first_byte_p50_ms: number | null;
                                first_byte_p95_ms: number | null;
                                first_byte_p99_ms: number | null;
                            }[];
                            process: {
                                label: string;
                                running: number;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/traffic/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            overrides: {
                                [key: string]: unknown;
                            };
                            revision: string;
                            fields: {
                                name: string;
                                description: string;
                                effective: unknown;
                                default: unknown;
                                is_set: boolean;
                                schema: {
                                    [key: string]: unknown;
                                };
                            }[];
                            environment: {
                                name: string;
                                is_set: boolean;
                            }[];
                            applies_file: boolean;
                            version: string;
                            public_url: string;
                            database: {
                                /** @enum {string} */
                                kind: "embedded" | "server";
                                version: string;
                                size_bytes: string;
                            };
                            processes: {
                                label: string;
                                /** Format: date-time */
                                since: string;
                                is_this: boolean;
                            }[];
                        };
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        overrides: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        etag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            overrides: {
                                [key: string]: unknown;
                            };
                            revision: string;
                            fields: {
                                name: string;
                                description: string;
                                effective: unknown;
                                default: unknown;
                                is_set: boolean;
                                schema: {
                                    [key: string]: unknown;
                                };
                            }[];
                            environment: {
                                name: string;
                                is_set: boolean;
                            }[];
                            applies_file: boolean;
                            version: string;
                            public_url: string;
                            database: {
                                /** @enum {string} */
                                kind: "embedded" | "server";
                                version: string;
                                size_bytes: string;
                            };
                            processes: {
                                label: string;
                                /** Format: date-time */
                                since: string;
                                is_this: boolean;
                            }[];
                        };
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            is_set: boolean;
                            deliveries: {
                                id: string;
                                event: string;
                                address: string;
                                /** Format: date-time */
                                created_at: string;
                                delivered_at: string | null;
                                next_attempt_at: string | null;
                                attempts: number;
                                failure: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/mail/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        address: string;
                    };
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            is_set: boolean;
                            deliveries: {
                                id: string;
                                event: string;
                                address: string;
                                /** Format: date-time */
                                created_at: string;
                                delivered_at: string | null;
                                next_attempt_at: string | null;
                                attempts: number;
                                failure: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: {
                message: string;
                type: string;
                param: string;
                code: string;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
